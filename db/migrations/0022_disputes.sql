CREATE DOMAIN "dispute_reason" AS text CHECK (VALUE IN ('FRAUDULENT', 'NOT_RECEIVED', 'NOT_AS_DESCRIBED', 'DUPLICATE', 'CANCELLED', 'CREDIT_NOT_PROCESSED', 'OTHER'));--> statement-breakpoint
ALTER TABLE "disputes" RENAME COLUMN "respond_before" TO "respond_by";--> statement-breakpoint
DROP INDEX "disputes_payment";--> statement-breakpoint
DROP INDEX "disputes_customer";--> statement-breakpoint
ALTER TABLE "disputes" ALTER COLUMN "reason" SET DATA TYPE dispute_reason USING case reason
  when 'fraudulent' then 'FRAUDULENT' when 'unrecognized' then 'FRAUDULENT'
  when 'product_not_received' then 'NOT_RECEIVED' when 'product_unacceptable' then 'NOT_AS_DESCRIBED'
  when 'duplicate' then 'DUPLICATE' when 'subscription_canceled' then 'CANCELLED'
  when 'credit_not_processed' then 'CREDIT_NOT_PROCESSED' else 'OTHER' end;--> statement-breakpoint
ALTER TABLE "disputes" ADD COLUMN "transaction_id" uuid;--> statement-breakpoint
ALTER TABLE "disputes" ADD COLUMN "customer_id" text;--> statement-breakpoint
ALTER TABLE "disputes" ADD COLUMN "network_reason_code" text;--> statement-breakpoint
ALTER TABLE "disputes" ADD COLUMN "fee" bigint;--> statement-breakpoint
ALTER TABLE "disputes" ADD COLUMN "dashboard_url" text;--> statement-breakpoint
CREATE INDEX "disputes_status" ON "disputes" USING btree ("environment_id","status","id");--> statement-breakpoint
CREATE INDEX "disputes_respond_by" ON "disputes" USING btree ("environment_id","respond_by","id") WHERE respond_by is not null;--> statement-breakpoint
CREATE INDEX "disputes_payment" ON "disputes" USING btree ("environment_id","payment_id","id");--> statement-breakpoint
CREATE INDEX "disputes_customer" ON "disputes" USING btree ("environment_id","customer","id") WHERE customer is not null;--> statement-breakpoint
update disputes d set transaction_id = p.charge_id, customer_id = t.customer_id
from payments p left join transactions t on t.environment_id = p.environment_id and t.id = p.charge_id
where p.environment_id = d.environment_id and p.id = d.payment_id;--> statement-breakpoint
ALTER TABLE "disputes" ALTER COLUMN "transaction_id" SET NOT NULL;--> statement-breakpoint
update disputes d set dashboard_url = 'https://dashboard.stripe.com' || case e.mode when 'live' then '' else '/test' end
  || '/disputes/' || d.processor_dispute_id
from processor_connections c join environments e on e.id = c.environment_id
where c.environment_id = d.environment_id and c.id::text = d.processor and c.processor = 'stripe';--> statement-breakpoint
update webhook_endpoints set event_types = array(
  select distinct renamed from unnest(event_types) as old (type), unnest(case old.type
    when 'payment.disputed' then array['dispute.opened']
    when 'payment.dispute_updated' then array['dispute.updated', 'dispute.evidence_submitted', 'dispute.won', 'dispute.lost', 'dispute.accepted']
    else array[old.type] end) as renamed)
where event_types && array['payment.disputed', 'payment.dispute_updated'];