-- Rows that are there get a constant, which rewrites nothing: they are streamed in the order of their ids, before all that come.
ALTER TABLE "events" ADD COLUMN "xid" "xid8" DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "events" ALTER COLUMN "xid" SET DEFAULT pg_current_xact_id();--> statement-breakpoint
CREATE INDEX "events_type" ON "events" USING btree ("environment_id","type","id");--> statement-breakpoint
CREATE INDEX "events_stream" ON "events" USING btree ("environment_id","xid","id");
