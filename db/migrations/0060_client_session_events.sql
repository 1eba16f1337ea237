-- Sessions that expired before are not told of: only those that are still open, and those whose payment has yet to end.
ALTER TABLE "client_sessions" ADD COLUMN "tells_expiry" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "client_sessions" ALTER COLUMN "tells_expiry" SET DEFAULT true;--> statement-breakpoint
UPDATE "client_sessions" SET "tells_expiry" = true
WHERE "status" = 'OPEN' AND "payment_link_id" IS NULL AND ("expires_at" > now() OR "open_payment_id" IS NOT NULL);--> statement-breakpoint
CREATE INDEX "client_sessions_expiring" ON "client_sessions" USING btree ("environment_id","expires_at") WHERE tells_expiry and status = 'OPEN' and payment_link_id is null;
