create domain kept_body as text check (value in ('whole', 'redacted', 'cut', 'left_out'));
--> statement-breakpoint
CREATE TABLE "request_log" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"actor" jsonb NOT NULL,
	"operation" text NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"query" text,
	"status" smallint NOT NULL,
	"code" text,
	"detail" text,
	"param" text,
	"duration_ms" integer,
	"idempotency_key" text,
	"replayed" boolean DEFAULT false NOT NULL,
	"request_body" text,
	"request_kept" "kept_body",
	"response_body" text,
	"response_kept" "kept_body",
	"address" text,
	"user_agent" text,
	"object_id" text,
	"left_out" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "request_log_environment_id_id_pk" PRIMARY KEY("environment_id","id")
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE INDEX "request_log_errors" ON "request_log" USING btree ("environment_id","id","code") WHERE code is not null;--> statement-breakpoint
CREATE INDEX "request_log_object" ON "request_log" USING btree ("environment_id","object_id","id") WHERE object_id is not null;--> statement-breakpoint
CREATE INDEX "request_log_key" ON "request_log" USING btree ("environment_id","idempotency_key","id") WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX "request_log_actor" ON "request_log" USING btree ("environment_id",(actor ->> 'id'),"id");--> statement-breakpoint
CREATE INDEX "request_log_left_out" ON "request_log" USING btree ("environment_id","id","left_out") WHERE left_out > 0;
--> statement-breakpoint

-- The days stand in a schema of their own, where no role may go: whoever reads or writes does so through the table.
create schema request_log_days;
--> statement-breakpoint
-- What no day takes: older than this migration, of a wrong clock, or because the job could not make a day in time.
create table request_log_days.others partition of request_log default;
--> statement-breakpoint
alter table request_log_days.others enable row level security;
--> statement-breakpoint

-- The lowest id of a UTC day.
create function first_id_of(day date) returns uuid language sql immutable strict parallel safe as $$
  select (lpad(to_hex((day - date '1970-01-01')::bigint * 86400000), 12, '0') || repeat('0', 20))::uuid
$$;
--> statement-breakpoint

-- One step: makes the partition of today or one of the next three days, or removes a day that is over 30 days old. The day's
-- partition is filled and attached while the default one is locked, so that no row is in between. Returns how much it did.
create function keep_request_log() returns integer
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '1s' as $$
declare
  today date := (now() at time zone 'UTC')::date;
  day date;
  name text;
  removed integer;
begin
  if not pg_try_advisory_xact_lock(4846023524) then
    return 0;
  end if;
  for ahead in 0..3 loop
    day := today + ahead;
    name := 'd' || to_char(day, 'YYYYMMDD');
    if to_regclass('request_log_days.' || name) is null then
      lock table request_log_days.others in access exclusive mode;
      execute format('create table request_log_days.%I (like request_log including defaults including constraints including storage)', name);
      execute format('alter table request_log_days.%I enable row level security', name);
      execute format('with moved as (delete from request_log_days.others where id >= $1 and id < $2 returning *)
        insert into request_log_days.%I select * from moved', name) using first_id_of(day), first_id_of(day + 1);
      execute format('alter table request_log attach partition request_log_days.%I for values from (%L) to (%L)',
        name, first_id_of(day), first_id_of(day + 1));
      return 1;
    end if;
  end loop;
  select c.relname into name from pg_class c
    where c.relnamespace = 'request_log_days'::regnamespace and c.relkind = 'r' and c.relname ~ '^d[0-9]{8}$'
      and c.relname < 'd' || to_char(today - 30, 'YYYYMMDD')
    order by c.relname limit 1;
  if found then
    execute format('drop table request_log_days.%I', name);
    return 1;
  end if;
  delete from request_log_days.others where ctid = any(array(
    select ctid from request_log_days.others where id < first_id_of(today - 30) limit 5000));
  get diagnostics removed = row_count;
  return removed;
exception when lock_not_available or deadlock_detected then
  return 0;
end $$;
--> statement-breakpoint

-- As before, with the tables that were made since.
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
    'processor_objects', 'idempotency_keys', 'total_deltas', 'daily_totals', 'ledger_entries',
    'events', 'settlement_batches', 'customers_due', 'customer_words', 'customers', 'transaction_words', 'transaction_texts', 'transactions', 'payment_tokens', 'client_sessions', 'payment_links', 'payments', 'plans'] loop
    execute format('delete from %1$I where ctid = any(array(select ctid from %1$I where environment_id = $1 limit $2))', name)
      using environment, most;
    get diagnostics removed = row_count;
    if removed > 0 then
      return removed;
    end if;
  end loop;
  return 0;
end $$;
--> statement-breakpoint

-- Last, for processes of the version before wait from here on. They go on with the view of the same name.
lock table request_errors in access exclusive mode;
--> statement-breakpoint
insert into request_log (environment_id, id, actor, operation, method, path, status, code, detail, param, created_at)
select environment_id, id, actor, operation, method, path, status, code, detail, param, created_at from request_errors;
--> statement-breakpoint
drop table request_errors;
--> statement-breakpoint
create view request_errors with (security_invoker = true) as
select environment_id, id, actor, operation, method, path, status, code, detail, param, created_at
from request_log where code is not null;
