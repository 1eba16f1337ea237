DROP INDEX "idempotency_keys_age";--> statement-breakpoint
CREATE INDEX "idempotency_keys_recent" ON "idempotency_keys" USING btree ("environment_id","created_at","key");