CREATE DOMAIN "note_subject" AS text CHECK (VALUE IN ('payment', 'customer', 'dispute'));--> statement-breakpoint
CREATE TABLE "notes" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"subject" "note_subject" NOT NULL,
	"subject_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"author" text NOT NULL,
	"text" text NOT NULL,
	"mentioned" uuid[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"edited_at" timestamp (3) with time zone,
	CONSTRAINT "notes_environment_id_id_pk" PRIMARY KEY("environment_id","id")
);
--> statement-breakpoint
CREATE INDEX "notes_subject" ON "notes" USING btree ("environment_id","subject_id","id");--> statement-breakpoint
-- Abandoned test data goes with its notes.
do $$
begin
  execute replace(pg_get_functiondef('remove_abandoned(uuid, integer)'::regprocedure), '''payments'', ', '''payments'', ''notes'', ');
end $$;
