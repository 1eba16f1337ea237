ALTER TABLE "payments" ADD COLUMN "amount_disputed" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "sandbox_processor"."disputes" ADD COLUMN "acts_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "sandbox_processor"."disputes" ADD COLUMN "version" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "sandbox_processor"."disputes" ADD COLUMN "reported" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "sandbox_disputes_due" ON "sandbox_processor"."disputes" USING btree ("acts_at","id") WHERE acts_at is not null;--> statement-breakpoint
CREATE INDEX "sandbox_disputes_due_of" ON "sandbox_processor"."disputes" USING btree ("account","acts_at","id") WHERE acts_at is not null;--> statement-breakpoint
CREATE INDEX "sandbox_disputes_unreported" ON "sandbox_processor"."disputes" USING btree ("account","id") WHERE reported < version;--> statement-breakpoint
ALTER TABLE "sandbox_processor"."disputes" ADD CONSTRAINT "sandbox_disputes_reported" CHECK ("sandbox_processor"."disputes"."reported" between 0 and "sandbox_processor"."disputes"."version");--> statement-breakpoint
update payments p set amount_disputed = s.amount
from (
  select d.environment_id, d.payment_id, of.currency, sum(d.amount) as amount from disputes d
  join payments of on of.environment_id = d.environment_id and of.id = d.payment_id and of.currency = d.currency
  where d.status <> 'WON'
  group by 1, 2, 3
) s where p.environment_id = s.environment_id and p.id = s.payment_id;
