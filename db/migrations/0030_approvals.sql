CREATE DOMAIN "approval_action" AS text CHECK (VALUE IN ('REFUND'));--> statement-breakpoint
CREATE DOMAIN "approval_status" AS text CHECK (VALUE IN ('PENDING', 'APPROVED', 'REJECTED', 'WITHDRAWN', 'EXPIRED', 'FAILED'));--> statement-breakpoint
CREATE TABLE "approval_allowances" (
	"environment_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"spent" bigint NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "approval_allowances_environment_id_user_id_pk" PRIMARY KEY("environment_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "approval_requests" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"action" "approval_action" NOT NULL,
	"subject_id" uuid NOT NULL,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"parameters" jsonb NOT NULL,
	"reason" text NOT NULL,
	"status" "approval_status" NOT NULL,
	"requested_by" uuid NOT NULL,
	"requested_by_name" text NOT NULL,
	"decided_by" uuid,
	"decided_by_name" text,
	"decided_at" timestamp (3) with time zone,
	"comment" text,
	"operation_id" uuid,
	"mail_due" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "approval_requests_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "approval_requests_amount" CHECK ("approval_requests"."amount" > 0),
	CONSTRAINT "approval_requests_second_person" CHECK ("approval_requests"."decided_by" <> "approval_requests"."requested_by"),
	CONSTRAINT "approval_requests_decided" CHECK (("approval_requests"."status" = 'APPROVED') = ("approval_requests"."operation_id" is not null)
        and ("approval_requests"."status" not in ('APPROVED', 'REJECTED') or ("approval_requests"."decided_by" is not null and "approval_requests"."decided_at" is not null)))
);
--> statement-breakpoint
CREATE TABLE "approval_rules" (
	"environment_id" uuid NOT NULL,
	"action" "approval_action" NOT NULL,
	"roles" text[] NOT NULL,
	"above_usd" integer,
	"day_usd" integer,
	"finance_decides" boolean NOT NULL,
	CONSTRAINT "approval_rules_environment_id_action_pk" PRIMARY KEY("environment_id","action"),
	CONSTRAINT "approval_rules_amounts" CHECK ("approval_rules"."above_usd" >= 0 and "approval_rules"."day_usd" >= 0)
);
--> statement-breakpoint
CREATE UNIQUE INDEX "approval_requests_open" ON "approval_requests" USING btree ("environment_id","action","subject_id") WHERE status = 'PENDING';--> statement-breakpoint
CREATE INDEX "approval_requests_subject" ON "approval_requests" USING btree ("environment_id","subject_id","id");--> statement-breakpoint
CREATE INDEX "approval_requests_mail_due" ON "approval_requests" USING btree ("environment_id","id") WHERE mail_due;--> statement-breakpoint
-- Abandoned test data goes with its approvals.
do $$
begin
  execute replace(pg_get_functiondef('remove_abandoned(uuid, integer)'::regprocedure), '''payments'', ',
    '''payments'', ''approval_rules'', ''approval_requests'', ''approval_allowances'', ');
end $$;
