CREATE TABLE "processor_journal" (
	"processor" text NOT NULL,
	"subject" text NOT NULL,
	"name" text NOT NULL,
	"value" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "processor_journal_processor_subject_name_pk" PRIMARY KEY("processor","subject","name")
);
--> statement-breakpoint
CREATE INDEX "processor_journal_cards" ON "processor_journal" USING btree ("processor","created_at") WHERE name = 'card';