ALTER TABLE "merchants" ADD COLUMN "refund_limit_usd" integer DEFAULT 1000 NOT NULL;--> statement-breakpoint
CREATE INDEX "users_unproved" ON "users" USING btree ("created_at") WHERE not owns_email;--> statement-breakpoint
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_refund_limit" CHECK ("merchants"."refund_limit_usd" between 0 and 1000000);