CREATE TABLE "processor_journal" (
	"connection" text NOT NULL,
	"subject" text NOT NULL,
	"name" text NOT NULL,
	"fact" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "processor_journal_connection_subject_name_pk" PRIMARY KEY("connection","subject","name")
);
--> statement-breakpoint
ALTER TABLE "processor_connections" DROP CONSTRAINT "processor_connections_account";--> statement-breakpoint
ALTER TABLE "processor_connections" ADD COLUMN "account_id" text NOT NULL;--> statement-breakpoint
CREATE INDEX "processor_journal_age" ON "processor_journal" USING btree ("connection","name","created_at");--> statement-breakpoint
ALTER TABLE "processor_connections" ADD CONSTRAINT "processor_connections_account" UNIQUE("environment_id","processor","account_id");