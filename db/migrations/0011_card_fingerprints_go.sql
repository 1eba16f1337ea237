-- Nothing reads the card fingerprints in these tables, and their old kind could be turned back into numbers with the key
-- that lay beside them. What the fraud rules count moves to a table of its own that holds ten minutes.
CREATE UNLOGGED TABLE "sandbox_processor"."recent_attempts" (
	"digest" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
DROP INDEX "sandbox_processor"."sandbox_charges_card";--> statement-breakpoint
DROP INDEX "sandbox_processor"."sandbox_charges_email";--> statement-breakpoint
DROP INDEX "sandbox_processor"."sandbox_charges_address";--> statement-breakpoint
CREATE INDEX "sandbox_recent_attempts_digest" ON "sandbox_processor"."recent_attempts" USING btree ("digest","created_at");--> statement-breakpoint
-- Tokens held a fingerprint, too. The few that are not used yet are as good as expired: their shoppers enter the card again.
UPDATE "payment_tokens" SET "processor_token" = '', "expires_at" = least("expires_at", now());--> statement-breakpoint
-- A dropped column stays in the rows of its table until each is written again; changing a type by an expression writes all.
ALTER TABLE "payment_tokens" DROP COLUMN "card_fingerprint",
  ALTER COLUMN "card_name" TYPE text USING "card_name" || '';--> statement-breakpoint
CREATE INDEX "payment_tokens_held" ON "payment_tokens" USING btree ("expires_at") WHERE processor_token <> '';--> statement-breakpoint
ALTER TABLE "sandbox_processor"."charges" DROP COLUMN "card_digest", DROP COLUMN "email_digest", DROP COLUMN "address_digest",
  ALTER COLUMN "behaviour" TYPE text USING "behaviour" || '';--> statement-breakpoint
ALTER TABLE "transactions" DROP COLUMN "card_fingerprint",
  ALTER COLUMN "refund_comment" TYPE text USING "refund_comment" || '';
