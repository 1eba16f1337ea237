CREATE DOMAIN "dispute_notice" AS text CHECK (VALUE IN ('opened', 'due_soon'));--> statement-breakpoint
ALTER TABLE "disputes" ADD COLUMN "last_notice" "dispute_notice";--> statement-breakpoint
CREATE INDEX "disputes_to_notify" ON "disputes" USING btree ("respond_by","environment_id","id") WHERE status in ('NEEDS_RESPONSE', 'UNDER_REVIEW') and last_notice is distinct from 'due_soon';--> statement-breakpoint
-- Disputes from before this migration are not mailed as new.
update disputes set last_notice = 'opened';
