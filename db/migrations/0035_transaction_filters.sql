DROP INDEX "transactions_amount";--> statement-breakpoint
CREATE INDEX "transactions_plan" ON "transactions" USING btree ("environment_id","plan_id","id") WHERE plan_id is not null;--> statement-breakpoint
CREATE INDEX "transactions_decline" ON "transactions" USING btree ("environment_id","decline_code","id") WHERE decline_code is not null;--> statement-breakpoint
CREATE INDEX "transactions_captured" ON "transactions" USING btree ("environment_id","captured_at","id") WHERE captured_at is not null;--> statement-breakpoint
CREATE INDEX "transactions_amount" ON "transactions" USING btree ("environment_id","amount","id","status","card_brand","currency");