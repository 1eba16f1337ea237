DROP INDEX "subscriptions_currency";--> statement-breakpoint
DROP INDEX "subscriptions_payment_method";--> statement-breakpoint
CREATE INDEX "subscriptions_currency" ON "subscriptions" USING btree ("environment_id","currency","status","ended_at","id");--> statement-breakpoint
CREATE INDEX "subscriptions_payment_method" ON "subscriptions" USING btree ("environment_id","payment_method_id","id");