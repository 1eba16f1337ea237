CREATE TABLE "sandbox_processor"."stored_cards" (
	"reference" uuid PRIMARY KEY NOT NULL,
	"account" uuid NOT NULL,
	"customer" text NOT NULL,
	"behavior" text NOT NULL,
	"exp_month" smallint NOT NULL,
	"exp_year" smallint NOT NULL,
	"outcome" "sandbox_charge_outcome" NOT NULL,
	"decline_code" text,
	"merchant_charges" integer DEFAULT 0 NOT NULL,
	"removed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sandbox_stored_cards_declined" CHECK (("sandbox_processor"."stored_cards"."outcome" = 'declined') = ("sandbox_processor"."stored_cards"."decline_code" is not null)),
	CONSTRAINT "sandbox_stored_cards_removed" CHECK ("sandbox_processor"."stored_cards"."removed_at" is null or "sandbox_processor"."stored_cards"."outcome" = 'approved')
);
