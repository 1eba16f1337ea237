ALTER TABLE "merchants" ADD COLUMN "business_address" text;--> statement-breakpoint
ALTER TABLE "merchants" ADD COLUMN "tax_number" text;