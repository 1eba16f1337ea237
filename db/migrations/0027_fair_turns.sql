DROP INDEX "payments_expiring_of_environment";--> statement-breakpoint
DROP INDEX "operations_open";--> statement-breakpoint
DROP INDEX "payments_expiring";--> statement-breakpoint
DROP INDEX "payments_waiting";--> statement-breakpoint
DROP INDEX "sandbox_processor"."sandbox_reports_open";--> statement-breakpoint
CREATE INDEX "operations_open" ON "operations" USING btree ("environment_id","next_attempt_at","created_at") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "payments_expiring" ON "payments" USING btree ("environment_id","capture_before") WHERE status = 'AUTHORIZED';--> statement-breakpoint
CREATE INDEX "payments_waiting" ON "payments" USING btree ("environment_id","updated_at") WHERE status = 'REQUIRES_ACTION';--> statement-breakpoint
CREATE INDEX "sandbox_reports_open" ON "sandbox_processor"."reports" USING btree ("account","due_at") WHERE acknowledged_at is null;