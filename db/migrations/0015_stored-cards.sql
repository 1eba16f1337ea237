-- A card that was stored twice keeps its first row, because removing the second would remove the card of both.
update subscriptions s set payment_method_id = m.kept
from (
  select environment_id, id, first_value(id) over (
    partition by environment_id, connection_id, processor_token order by removed_at nulls first, id) as kept
  from payment_methods where processor_token <> '') m
where m.environment_id = s.environment_id and m.id = s.payment_method_id and m.id <> m.kept;
--> statement-breakpoint
update payment_methods p set processor_token = '', removed_at = coalesce(p.removed_at, now()), removal_due_at = null
from (
  select environment_id, id, first_value(id) over (
    partition by environment_id, connection_id, processor_token order by removed_at nulls first, id) as kept
  from payment_methods where processor_token <> '') m
where m.environment_id = p.environment_id and m.id = p.id and m.id <> m.kept;
--> statement-breakpoint
DROP INDEX "payment_methods_token";--> statement-breakpoint
DROP INDEX "sandbox_processor"."sandbox_recent_attempts_digest";--> statement-breakpoint
ALTER TABLE "payment_tokens" ADD COLUMN "checked_for" text;--> statement-breakpoint
ALTER TABLE "sandbox_processor"."recent_attempts" ADD COLUMN "at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "payment_methods_stored_card" ON "payment_methods" USING btree ("processor_token","environment_id",coalesce(connection_id, '00000000-0000-0000-0000-000000000000')) WHERE processor_token <> '';--> statement-breakpoint
CREATE INDEX "payment_methods_connection" ON "payment_methods" USING btree ("environment_id","connection_id") WHERE connection_id is not null and removed_at is null;--> statement-breakpoint
CREATE INDEX "sandbox_recent_attempts_digest" ON "sandbox_processor"."recent_attempts" USING btree ("digest","at");