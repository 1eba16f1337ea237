CREATE TABLE "payment_links" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"token" text NOT NULL,
	"name" text,
	"plan_id" uuid,
	"amount" bigint,
	"currency" text,
	"description" text,
	"single_use" boolean NOT NULL,
	"active" boolean NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"session_id" uuid,
	"session_token" text,
	"opened" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "payment_links_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "payment_links_token" UNIQUE("token"),
	CONSTRAINT "payment_links_sells" CHECK (("payment_links"."plan_id" is null) = ("payment_links"."amount" is not null) and ("payment_links"."amount" is null) = ("payment_links"."currency" is null)
        and ("payment_links"."plan_id" is not null or "payment_links"."description" is not null)),
	CONSTRAINT "payment_links_amount" CHECK ("payment_links"."amount" > 0),
	CONSTRAINT "payment_links_session" CHECK (("payment_links"."session_id" is null) = ("payment_links"."session_token" is null) and ("payment_links"."single_use" or "payment_links"."session_id" is null))
);
--> statement-breakpoint
ALTER TABLE "payment_links" ADD CONSTRAINT "payment_links_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "payment_links" ADD CONSTRAINT "payment_links_environment_id_plan_id_plans_environment_id_id_fk" FOREIGN KEY ("environment_id","plan_id") REFERENCES "public"."plans"("environment_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint

-- What payments wait for comes last.
ALTER TABLE "client_sessions" ADD COLUMN "payment_link_id" uuid;
--> statement-breakpoint
ALTER TABLE "client_sessions" ADD CONSTRAINT "client_sessions_environment_id_payment_link_id_payment_links_environment_id_id_fk" FOREIGN KEY ("environment_id","payment_link_id") REFERENCES "public"."payment_links"("environment_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "client_sessions_payment_link" ON "client_sessions" USING btree ("environment_id","payment_link_id","status","id") WHERE payment_link_id is not null;
--> statement-breakpoint
CREATE INDEX "client_sessions_unpaid" ON "client_sessions" USING btree ("expires_at") WHERE payment_link_id is not null and status <> 'COMPLETED';
