CREATE INDEX "payment_tokens_age" ON "payment_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sandbox_refusals_age" ON "sandbox_processor"."refusals" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "sandbox_reports_age" ON "sandbox_processor"."reports" USING btree ("acknowledged_at") WHERE acknowledged_at is not null;