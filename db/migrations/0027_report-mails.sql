CREATE DOMAIN "report_interval" AS text CHECK (VALUE IN ('WEEK', 'MONTH'));--> statement-breakpoint
CREATE TABLE "report_mails" (
	"environment_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"type" "report_type" NOT NULL,
	"every" "report_interval" NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "report_mails_environment_id_user_id_type_pk" PRIMARY KEY("environment_id","user_id","type")
);
--> statement-breakpoint
ALTER TABLE "report_mails" ADD CONSTRAINT "report_mails_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "report_mails" ADD CONSTRAINT "report_mails_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE no action ON UPDATE no action;