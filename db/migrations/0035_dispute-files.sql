DROP INDEX "files_unused";--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "remove_at" timestamp (3) with time zone DEFAULT now() + interval '1 day';--> statement-breakpoint
CREATE INDEX "files_removable" ON "files" USING btree ("remove_at","environment_id","id") WHERE remove_at is not null;--> statement-breakpoint
-- Every file so far got the default of a new one.
update files f set remove_at = case when d.status in ('WON', 'LOST', 'ACCEPTED') then now() + interval '180 days' end
from disputes d where d.environment_id = f.environment_id and d.id = f.dispute_id;
