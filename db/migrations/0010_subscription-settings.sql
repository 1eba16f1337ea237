CREATE DOMAIN "after_last_attempt" AS text CHECK (VALUE IN ('CANCEL', 'KEEP'));--> statement-breakpoint
CREATE TABLE "subscription_settings" (
	"environment_id" uuid NOT NULL,
	"dunning_steps" integer[] NOT NULL,
	"after_last_attempt" "after_last_attempt" NOT NULL,
	"mail_trial_ending" boolean NOT NULL,
	"mail_receipt" boolean NOT NULL,
	"mail_payment_failed" boolean NOT NULL,
	"mail_card_expiring" boolean NOT NULL,
	"mail_cancelled" boolean NOT NULL,
	"portal_change_card" boolean NOT NULL,
	"portal_cancel" boolean NOT NULL,
	"portal_invoices" boolean NOT NULL,
	CONSTRAINT "subscription_settings_environment_id_pk" PRIMARY KEY("environment_id"),
	CONSTRAINT "subscription_settings_dunning" CHECK (cardinality("subscription_settings"."dunning_steps") between 1 and 8
        and 1 <= all ("subscription_settings"."dunning_steps") and 60 >= all ("subscription_settings"."dunning_steps")
        and array_position("subscription_settings"."dunning_steps", null) is null)
);
