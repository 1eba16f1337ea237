CREATE TABLE "refund_allowances" (
	"user_id" uuid NOT NULL,
	"currency" text NOT NULL,
	"spent" bigint NOT NULL,
	"since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "refund_allowances_user_id_currency_pk" PRIMARY KEY("user_id","currency")
);
--> statement-breakpoint
DROP INDEX "users_email";--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD COLUMN "kind" text DEFAULT 'notice' NOT NULL;--> statement-breakpoint
ALTER TABLE "user_sessions" ADD COLUMN "proved_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "user_tokens" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "email_verified_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "owns_email" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "failed_codes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "codes_locked_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "refund_allowances" ADD CONSTRAINT "refund_allowances_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mail_outbox_recipient" ON "mail_outbox" USING btree (lower("recipient"),"created_at") WHERE kind <> 'notice';--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_owner" ON "users" USING btree (lower("email")) WHERE owns_email;--> statement-breakpoint
CREATE INDEX "users_email" ON "users" USING btree (lower("email"));--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_verified_owns" CHECK ("users"."email_verified_at" is null or "users"."owns_email");
--> statement-breakpoint
-- Whoever could sign in still can, under the same address. An invitation that nobody accepted holds none any more.
update users u set owns_email = true
  where not exists (select from user_tokens t where t.user_id = u.id and t.purpose = 'invite' and t.used_at is null);
--> statement-breakpoint
-- Proved: the staff's, those of people who used a mailed link, and those that an operator's command wrote. Not proved: an
-- owner's who signed up, and one that its person has changed since; they are asked for the proof.
with acts as materialized (
  select action, actor ->> 'id' as actor_id, object_id, detail from audit_log
  where (action like 'api_key.%' or action like 'settings.%' or action like 'team.%')
    and action in ('settings.account_opened', 'settings.account_updated', 'settings.password_reset', 'team.invitation_accepted')
), proved as (
  select object_id as user_id, lower(detail ->> 'email') as email from acts
  where action in ('settings.password_reset', 'team.invitation_accepted')
), own_word as (
  select actor_id from acts
  where action = 'settings.account_opened' or (action = 'settings.account_updated' and detail -> 'changes' ? 'email')
)
update users u set email_verified_at = now()
  where owns_email and (merchant_id is null
    or exists (select from proved p where p.user_id::text = u.id::text and p.email = lower(u.email))
    or not exists (select from own_word o where o.actor_id = u.id::text));
