ALTER TABLE "client_sessions" DROP CONSTRAINT "client_sessions_completed";--> statement-breakpoint
ALTER TABLE "client_sessions" DROP CONSTRAINT "client_sessions_amount";--> statement-breakpoint
ALTER TABLE "client_sessions" ALTER COLUMN "amount" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "client_sessions" ALTER COLUMN "currency" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ALTER COLUMN "payment_method_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD COLUMN "mode" text DEFAULT 'payment' NOT NULL;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD COLUMN "bought_plan" jsonb;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD COLUMN "trial_refused" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD COLUMN "subscription_id" uuid;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD COLUMN "invoice_id" uuid;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD COLUMN "payment_method_id" uuid;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD COLUMN "card_check" jsonb;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD COLUMN "consent" jsonb;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD CONSTRAINT "client_sessions_mode" CHECK (("client_sessions"."mode" = 'setup') = ("client_sessions"."amount" is null) and ("client_sessions"."amount" is null) = ("client_sessions"."currency" is null));--> statement-breakpoint
ALTER TABLE "client_sessions" ADD CONSTRAINT "client_sessions_completed" CHECK (("client_sessions"."status" = 'COMPLETED') = ("client_sessions"."payment_id" is not null or "client_sessions"."payment_method_id" is not null));--> statement-breakpoint
ALTER TABLE "client_sessions" ADD CONSTRAINT "client_sessions_amount" CHECK ("client_sessions"."amount" > 0 or ("client_sessions"."amount" = 0 and "client_sessions"."bought_plan" is not null));