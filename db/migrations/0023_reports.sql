CREATE DOMAIN "report_type" AS text CHECK (VALUE IN ('activity', 'balance', 'payouts', 'fees', 'transactions'));--> statement-breakpoint
CREATE DOMAIN "report_status" AS text CHECK (VALUE IN ('PENDING', 'READY', 'FAILED'));--> statement-breakpoint
CREATE DOMAIN "report_format" AS text CHECK (VALUE IN ('csv', 'csv_excel', 'xlsx'));--> statement-breakpoint
CREATE TABLE "reports" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"type" "report_type" NOT NULL,
	"status" "report_status" NOT NULL,
	"from_day" date NOT NULL,
	"to_day" date NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"time_zone" text NOT NULL,
	"currency" text,
	"format" "report_format" NOT NULL,
	"locale" text NOT NULL,
	"rows" bigint,
	"totals" jsonb,
	"failure_reason" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reports_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "reports_ready" CHECK (("reports"."status" = 'READY') = ("reports"."totals" is not null and "reports"."rows" is not null))
);
--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "reports_pending" ON "reports" USING btree ("created_at","id") WHERE status = 'PENDING';--> statement-breakpoint
-- Abandoned test data goes with its reports.
do $$
begin
  execute replace(pg_get_functiondef('remove_abandoned(uuid, integer)'::regprocedure), '''payments'', ', '''payments'', ''reports'', ');
end $$;
