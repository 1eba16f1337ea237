ALTER TABLE "client_sessions" ADD COLUMN "locale" text;--> statement-breakpoint
ALTER TABLE "payment_links" ADD COLUMN "asks_email" boolean DEFAULT true NOT NULL;