alter table sandbox_processor.charges rename column behaviour to behavior;
--> statement-breakpoint
alter table webhook_endpoints rename column hindered_at to slow_lane_since;
