ALTER TABLE "users" ADD COLUMN "failed_proofs" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "proofs_locked_until" timestamp (3) with time zone;