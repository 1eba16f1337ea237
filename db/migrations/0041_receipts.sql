create domain receipt_cause as text check (value in ('captured', 'refunded', 'requested'));
--> statement-breakpoint
CREATE TABLE "merchant_logos" (
	"merchant_id" uuid PRIMARY KEY NOT NULL,
	"sha256" "bytea" NOT NULL,
	"content_type" text NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "merchant_logos_size" CHECK (octet_length("merchant_logos"."bytes") <= 262144)
);
--> statement-breakpoint
CREATE TABLE "receipt_mails" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"payment_id" uuid NOT NULL,
	"transaction_id" uuid NOT NULL,
	"cause" "receipt_cause" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "receipt_mails_environment_id_id_pk" PRIMARY KEY("environment_id","id")
);
--> statement-breakpoint
CREATE TABLE "receipt_settings" (
	"environment_id" uuid NOT NULL,
	"captured_since" "xid8",
	"refunded_since" "xid8",
	"read_xid" "xid8" NOT NULL,
	"read_id" uuid NOT NULL,
	CONSTRAINT "receipt_settings_environment_id_pk" PRIMARY KEY("environment_id")
);
--> statement-breakpoint
CREATE TABLE "receipts" (
	"environment_id" uuid NOT NULL,
	"payment_id" uuid NOT NULL,
	"token" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "receipts_environment_id_payment_id_pk" PRIMARY KEY("environment_id","payment_id")
);
--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD COLUMN "sender_name" text;--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD COLUMN "reply_to" text;--> statement-breakpoint
ALTER TABLE "merchant_logos" ADD CONSTRAINT "merchant_logos_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "merchant_logos_sha256" ON "merchant_logos" USING btree ("sha256");--> statement-breakpoint
CREATE UNIQUE INDEX "receipt_mails_once" ON "receipt_mails" USING btree ("environment_id","transaction_id") WHERE cause <> 'requested';--> statement-breakpoint
CREATE INDEX "receipt_mails_payment" ON "receipt_mails" USING btree ("environment_id","payment_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "receipts_token" ON "receipts" USING btree ("token");
