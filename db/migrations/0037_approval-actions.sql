ALTER DOMAIN "approval_action" DROP CONSTRAINT "approval_action_check";--> statement-breakpoint
ALTER DOMAIN "approval_action" ADD CONSTRAINT "approval_action_check" CHECK (VALUE IN ('REFUND', 'BANK_ACCOUNT', 'LIVE_KEY', 'APPROVAL_RULE'));--> statement-breakpoint
ALTER TABLE "approval_requests" DROP CONSTRAINT "approval_requests_amount";--> statement-breakpoint
ALTER TABLE "approval_requests" DROP CONSTRAINT "approval_requests_decided";--> statement-breakpoint
ALTER TABLE "approval_requests" ALTER COLUMN "amount" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "approval_requests" ALTER COLUMN "currency" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "approval_requests" ADD COLUMN "key_id" uuid;--> statement-breakpoint
ALTER TABLE "approval_requests" ADD CONSTRAINT "approval_requests_amount" CHECK (case when "approval_requests"."action" = 'REFUND' then "approval_requests"."amount" > 0 and "approval_requests"."currency" is not null
        else "approval_requests"."amount" is null and "approval_requests"."currency" is null end);--> statement-breakpoint
ALTER TABLE "approval_requests" ADD CONSTRAINT "approval_requests_decided" CHECK (("approval_requests"."status" = 'APPROVED' and "approval_requests"."action" = 'REFUND') = ("approval_requests"."operation_id" is not null)
        and ("approval_requests"."key_id" is null or ("approval_requests"."status" = 'APPROVED' and "approval_requests"."action" = 'LIVE_KEY'))
        and ("approval_requests"."status" not in ('APPROVED', 'REJECTED') or ("approval_requests"."decided_by" is not null and "approval_requests"."decided_at" is not null)));