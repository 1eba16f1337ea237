create domain dispute_status as text check (value in ('NEEDS_RESPONSE', 'UNDER_REVIEW', 'WON', 'LOST', 'CLOSED'));
--> statement-breakpoint
create domain reconciliation_state as text check (value in ('running', 'done', 'failed'));
--> statement-breakpoint
CREATE TABLE "disputes" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"payment_id" uuid NOT NULL,
	"processor" text NOT NULL,
	"processor_dispute_id" text NOT NULL,
	"customer" uuid,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"reason" text NOT NULL,
	"status" "dispute_status" NOT NULL,
	"respond_before" timestamp (3) with time zone,
	"read_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "disputes_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "disputes_amount" CHECK ("disputes"."amount" >= 0)
);
--> statement-breakpoint
CREATE TABLE "reconciliation_runs" (
	"environment_id" uuid,
	"id" uuid PRIMARY KEY NOT NULL,
	"connection_id" uuid NOT NULL,
	"night" date,
	"state" "reconciliation_state" NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"payments" integer DEFAULT 0 NOT NULL,
	"refunds" integer DEFAULT 0 NOT NULL,
	"under_way" integer DEFAULT 0 NOT NULL,
	"difference_count" integer DEFAULT 0 NOT NULL,
	"differences" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"unchecked" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"failure" text,
	"started_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "reconciliation_runs_finished" CHECK (("reconciliation_runs"."state" = 'running') = ("reconciliation_runs"."finished_at" is null))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "disputes_processor" ON "disputes" USING btree ("processor","processor_dispute_id");--> statement-breakpoint
CREATE INDEX "disputes_payment" ON "disputes" USING btree ("environment_id","payment_id");--> statement-breakpoint
CREATE INDEX "disputes_customer" ON "disputes" USING btree ("environment_id","customer") WHERE customer is not null;--> statement-breakpoint
CREATE INDEX "reconciliation_runs_connection" ON "reconciliation_runs" USING btree ("connection_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "reconciliation_runs_night" ON "reconciliation_runs" USING btree ("connection_id","night") WHERE night is not null;--> statement-breakpoint
CREATE INDEX "reconciliation_runs_started" ON "reconciliation_runs" USING btree ("started_at");
--> statement-breakpoint

-- As before, with disputes and comparisons.
create or replace function remove_abandoned(environment uuid, most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  name text;
  removed integer;
begin
  perform from environments where id = environment and mode = 'test' and abandoned_at is not null for no key update;
  if not found then
    raise exception 'environment % is not abandoned', environment using errcode = 'check_violation';
  end if;
  -- The simulated processor's part of an operation goes with it.
  with gone as (
    delete from operations where ctid = any(array(
      select ctid from operations where environment_id = environment limit most))
    returning id
  ), reports as (delete from sandbox_processor.reports where reference in (select id from gone)),
  charges as (delete from sandbox_processor.charges where reference in (select id from gone)),
  others as (delete from sandbox_processor.operations where reference in (select id from gone))
  select count(*) into removed from gone;
  if removed > 0 then
    return removed;
  end if;
  -- By its key: rows of several partitions may have the same place.
  delete from request_log where environment_id = environment
    and id = any(array(select id from request_log where environment_id = environment limit most));
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  -- Keys name the one that they replace.
  delete from api_keys where environment_id = environment;
  foreach name in array array['receipt_mails', 'receipts', 'receipt_settings', 'payouts', 'bank_accounts', 'webhook_attempts', 'webhook_deliveries', 'webhook_secrets', 'webhook_endpoints',
    'reconciliation_runs', 'disputes', 'processor_objects', 'idempotency_keys', 'total_deltas', 'daily_totals', 'ledger_entries',
    'events', 'settlement_batches', 'customers_due', 'customer_words', 'customers', 'transaction_words', 'transaction_texts', 'transactions', 'payment_tokens', 'client_sessions', 'payment_links', 'payments', 'plans',
    'processor_routes', 'processor_connections'] loop
    execute format('delete from %1$I where ctid = any(array(select ctid from %1$I where environment_id = $1 limit $2))', name)
      using environment, most;
    get diagnostics removed = row_count;
    if removed > 0 then
      return removed;
    end if;
  end loop;
  return 0;
end $$;
