CREATE DOMAIN "dispute_response" AS text CHECK (VALUE IN ('submit', 'accept'));--> statement-breakpoint
CREATE DOMAIN "file_type" AS text CHECK (VALUE IN ('application/pdf', 'image/png', 'image/jpeg'));--> statement-breakpoint
CREATE DOMAIN "sandbox_dispute_status" AS text CHECK (VALUE IN ('needs_response', 'under_review', 'won', 'lost', 'accepted'));--> statement-breakpoint
CREATE TABLE "files" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"type" "file_type" NOT NULL,
	"size" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	"dispute_id" uuid,
	"created_by" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "files_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "files_size" CHECK ("files"."size" > 0 and "files"."size" = octet_length("files"."bytes"))
);
--> statement-breakpoint
CREATE TABLE "sandbox_processor"."disputes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account" uuid NOT NULL,
	"charge" uuid NOT NULL,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"reason" text NOT NULL,
	"status" "sandbox_dispute_status" NOT NULL,
	"respond_by" timestamp (3) with time zone NOT NULL,
	"response" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sandbox_disputes_amount" CHECK ("sandbox_processor"."disputes"."amount" > 0)
);
--> statement-breakpoint
ALTER TABLE "disputes" ADD COLUMN "evidence" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "disputes" ADD COLUMN "answerable" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "disputes" ADD COLUMN "response" "dispute_response";--> statement-breakpoint
ALTER TABLE "disputes" ADD COLUMN "response_id" uuid;--> statement-breakpoint
ALTER TABLE "disputes" ADD COLUMN "response_by" jsonb;--> statement-breakpoint
ALTER TABLE "disputes" ADD COLUMN "response_due_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "files_dispute" ON "files" USING btree ("environment_id","dispute_id","id") WHERE dispute_id is not null;--> statement-breakpoint
CREATE INDEX "files_unused" ON "files" USING btree ("created_at","environment_id","id") WHERE dispute_id is null;--> statement-breakpoint
CREATE INDEX "sandbox_disputes_charge" ON "sandbox_processor"."disputes" USING btree ("charge","id");--> statement-breakpoint
CREATE INDEX "disputes_responding" ON "disputes" USING btree ("response_due_at","environment_id","id") WHERE response_due_at is not null;--> statement-breakpoint
ALTER TABLE "disputes" ADD CONSTRAINT "disputes_response" CHECK (("disputes"."response" is null) = ("disputes"."response_id" is null) and ("disputes"."response" is null) = ("disputes"."response_by" is null)
        and ("disputes"."response_due_at" is null or "disputes"."response" is not null));--> statement-breakpoint
-- Documents and pictures are compressed already.
alter table files alter column bytes set storage external;--> statement-breakpoint
-- Stripe takes responses from us.
update disputes d set answerable = true
where exists (select from processor_connections c where c.environment_id = d.environment_id and c.id::text = d.processor and c.processor = 'stripe')
  or exists (select from operator_connections o where o.id::text = d.processor and o.processor = 'stripe');--> statement-breakpoint
-- Abandoned test data goes with its files, and with the disputes of the simulated processor.
do $$
begin
  execute replace(replace(pg_get_functiondef('remove_abandoned(uuid, integer)'::regprocedure), '''payments'', ', '''payments'', ''files'', '),
    'others as (delete', 'sandbox_disputes as (delete from sandbox_processor.disputes where charge in (select id from gone)),
  others as (delete');
end $$;
