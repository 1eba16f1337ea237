CREATE TABLE "portal_sessions" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"token_sha256" "bytea" NOT NULL,
	"customer_id" text NOT NULL,
	"return_url" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "portal_sessions_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "portal_sessions_token" UNIQUE("token_sha256")
);
--> statement-breakpoint
ALTER TABLE "portal_sessions" ADD CONSTRAINT "portal_sessions_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "portal_sessions_expired" ON "portal_sessions" USING btree ("expires_at");--> statement-breakpoint
-- Abandoned test data goes with its portal sessions.
do $$
begin
  execute replace(pg_get_functiondef('remove_abandoned(uuid, integer)'::regprocedure), '''payments'', ', '''payments'', ''portal_sessions'', ');
end $$;
