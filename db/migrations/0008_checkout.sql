ALTER TABLE "client_sessions" ADD COLUMN "open_payment_id" uuid;--> statement-breakpoint
ALTER TABLE "environments" ADD COLUMN "checkout_appearance" jsonb;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD CONSTRAINT "client_sessions_environment_id_open_payment_id_payments_environment_id_id_fk" FOREIGN KEY ("environment_id","open_payment_id") REFERENCES "public"."payments"("environment_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "transactions_client_session" ON "transactions" USING btree ("environment_id","client_session_id","id") WHERE client_session_id is not null;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD CONSTRAINT "client_sessions_completed" CHECK (("client_sessions"."status" = 'COMPLETED') = ("client_sessions"."payment_id" is not null));--> statement-breakpoint
ALTER TABLE "client_sessions" ADD CONSTRAINT "client_sessions_open_payment" CHECK ("client_sessions"."open_payment_id" is null or "client_sessions"."status" = 'OPEN');--> statement-breakpoint
ALTER TABLE "client_sessions" ADD CONSTRAINT "client_sessions_attempts" CHECK ("client_sessions"."attempts" between 0 and 5);