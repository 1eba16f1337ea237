-- Constraints of the domain are checked against rows that are already there.
ALTER DOMAIN "dispute_status" DROP CONSTRAINT "dispute_status_check";--> statement-breakpoint
UPDATE "disputes" SET "status" = 'WON' WHERE "status" = 'CLOSED';--> statement-breakpoint
ALTER DOMAIN "dispute_status" ADD CONSTRAINT "dispute_status_check"
  CHECK (value in ('NEEDS_RESPONSE', 'UNDER_REVIEW', 'WON', 'LOST', 'ACCEPTED'));--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "dispute_id" uuid;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "dispute_status" "dispute_status";--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "capture_reversed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "payments_capture_reversed" ON "payments" USING btree ("environment_id","capture_reversed_at") WHERE capture_reversed_at is not null;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_dispute" CHECK (("payments"."dispute_id" is null) = ("payments"."dispute_status" is null));--> statement-breakpoint
UPDATE "payments" p SET dispute_id = d.id, dispute_status = d.status
FROM (
  SELECT DISTINCT ON (environment_id, payment_id) environment_id, payment_id, id, status FROM "disputes"
  ORDER BY environment_id, payment_id, case status when 'LOST' then 1 when 'ACCEPTED' then 1 when 'WON' then 3 else 2 end,
    created_at desc, id desc
) d
WHERE p.environment_id = d.environment_id AND p.id = d.payment_id;
