alter domain reconciliation_state drop constraint reconciliation_state_check;--> statement-breakpoint
alter domain reconciliation_state add constraint reconciliation_state_check check (value in ('requested', 'running', 'done', 'failed')) not valid;--> statement-breakpoint
ALTER TABLE "reconciliation_runs" DROP CONSTRAINT "reconciliation_runs_finished";--> statement-breakpoint
ALTER TABLE "reconciliation_runs" ADD COLUMN "requested_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE UNIQUE INDEX "reconciliation_runs_requested" ON "reconciliation_runs" USING btree ("connection_id") WHERE state = 'requested';--> statement-breakpoint
CREATE INDEX "reconciliation_runs_taken" ON "reconciliation_runs" USING btree ("started_at") WHERE state = 'running' and requested_at is not null;--> statement-breakpoint
ALTER TABLE "reconciliation_runs" ADD CONSTRAINT "reconciliation_runs_finished" CHECK (("reconciliation_runs"."state" in ('requested', 'running')) = ("reconciliation_runs"."finished_at" is null));
