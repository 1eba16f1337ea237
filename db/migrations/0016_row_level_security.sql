DROP INDEX "transactions_email";--> statement-breakpoint
ALTER TABLE "transactions" ADD COLUMN "customer_email_key" text GENERATED ALWAYS AS (lower(customer_email)) STORED;--> statement-breakpoint
CREATE INDEX "transactions_email" ON "transactions" USING btree ("environment_id","customer_email_key","id") WHERE customer_email_key is not null;