CREATE TABLE "processor_objects" (
	"environment_id" uuid NOT NULL,
	"processor" text NOT NULL,
	"object_id" text NOT NULL,
	"kind" text NOT NULL,
	"operation_id" uuid NOT NULL,
	"payment_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "processor_objects_environment_id_processor_object_id_pk" PRIMARY KEY("environment_id","processor","object_id")
);
--> statement-breakpoint
CREATE INDEX "processor_objects_payment" ON "processor_objects" USING btree ("environment_id","payment_id");--> statement-breakpoint
CREATE UNIQUE INDEX "processor_objects_id" ON "processor_objects" USING btree ("processor","object_id");--> statement-breakpoint
-- With what processors made for its operations.
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
  -- Keys name the one that they replace.
  delete from api_keys where environment_id = environment;
  foreach name in array array['processor_objects', 'idempotency_keys', 'request_errors', 'total_deltas', 'daily_totals', 'ledger_entries',
    'events', 'settlement_batches', 'transactions', 'payment_tokens', 'client_sessions', 'payments', 'plans'] loop
    execute format('delete from %1$I where ctid = any(array(select ctid from %1$I where environment_id = $1 limit $2))', name)
      using environment, most;
    get diagnostics removed = row_count;
    if removed > 0 then
      return removed;
    end if;
  end loop;
  return 0;
end $$;
