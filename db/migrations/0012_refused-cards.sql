ALTER TABLE "invoices" ADD COLUMN "unsent_attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "card_refused" boolean DEFAULT false NOT NULL;