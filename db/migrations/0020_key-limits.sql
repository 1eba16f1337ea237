DROP INDEX "api_keys_list";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "limits" jsonb;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "limits_counted_in" uuid;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "limited_day" date;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "limited_refunds" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "limited_amount" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_limits_counted_in" FOREIGN KEY ("environment_id","limits_counted_in") REFERENCES "public"."api_keys"("environment_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_list" ON "api_keys" USING btree ("environment_id","created_at","id");--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_limited" CHECK ("api_keys"."limited_refunds" >= 0 and "api_keys"."limited_amount" >= 0);