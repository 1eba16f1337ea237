ALTER TABLE "payment_tokens" ADD COLUMN "card_name" text;--> statement-breakpoint
ALTER TABLE "payment_tokens" ADD COLUMN "postal_code" text;