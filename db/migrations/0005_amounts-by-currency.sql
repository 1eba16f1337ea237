DROP INDEX "transactions_amount";--> statement-breakpoint
CREATE INDEX "transactions_amount" ON "transactions" USING btree ("environment_id","currency","amount","id","status","card_brand");