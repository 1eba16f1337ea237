CREATE TABLE "subscription_mails" (
	"environment_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subscription_mails_environment_id_event_id_pk" PRIMARY KEY("environment_id","event_id")
);
--> statement-breakpoint
ALTER TABLE "payment_methods" ADD COLUMN "expiry_announced" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "payment_methods_expiry" ON "payment_methods" USING btree ("environment_id",(card_exp_year * 12 + card_exp_month - 1),"id") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "payment_methods_expiring" ON "payment_methods" USING btree ((card_exp_year * 12 + card_exp_month - 1)) WHERE not expiry_announced and removed_at is null;