create domain saved_view_list as text check (value in ('transactions', 'subscriptions', 'invoices'));
--> statement-breakpoint
DROP INDEX "saved_views_name";--> statement-breakpoint
ALTER TABLE "saved_views" ADD COLUMN "list" "saved_view_list" DEFAULT 'transactions' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_name" ON "saved_views" USING btree ("environment_id","user_id","list",lower("name"));