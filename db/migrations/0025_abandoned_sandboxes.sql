ALTER TABLE "environments" ADD COLUMN "abandoned_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "environments" ADD COLUMN "emptied_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "environments_to_empty" ON "environments" USING btree ("abandoned_at") WHERE abandoned_at is not null and emptied_at is null;--> statement-breakpoint

-- Test data of an account for which nobody ever proved an e-mail address is removed as a whole. Whoever says so, this decides:
-- it is said while its people are still there, none of whom proved one in 30 days, and of a test mode beside an empty live one.
create function check_environment() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    if new.abandoned_at is not null then
      raise exception 'no environment is abandoned from the start' using errcode = 'check_violation';
    end if;
    return new;
  end if;
  if (new.mode, new.merchant_id) is distinct from (old.mode, old.merchant_id) then
    raise exception 'an environment keeps its mode and its merchant' using errcode = 'check_violation';
  end if;
  if new.abandoned_at is not distinct from old.abandoned_at then
    return new;
  end if;
  if old.abandoned_at is not null or new.mode <> 'test'
    or not exists (select from users where merchant_id = new.merchant_id)
    or exists (select from users where merchant_id = new.merchant_id
      and (owns_email or email_verified_at is not null or created_at > now() - interval '30 days'))
    or exists (select from environments e join payments p on p.environment_id = e.id
      where e.merchant_id = new.merchant_id and e.mode = 'live')
    or exists (select from environments e join api_keys k on k.environment_id = e.id
      where e.merchant_id = new.merchant_id and e.mode = 'live') then
    raise exception 'environment % is not abandoned', new.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger environments_abandoned before insert or update of mode, merchant_id, abandoned_at on environments
for each row execute function check_environment();
--> statement-breakpoint

-- The books are append-only, and an intent is never deleted: but for what is abandoned.
create function refuse_change_of_books() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'DELETE' and exists (
    select from environments where id = old.environment_id and mode = 'test' and abandoned_at is not null) then
    return old;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'check_violation';
end $$;
--> statement-breakpoint
drop trigger ledger_entries_append_only on ledger_entries;
--> statement-breakpoint
create trigger ledger_entries_append_only before update or delete on ledger_entries for each row
execute function refuse_change_of_books();
--> statement-breakpoint
drop trigger operations_never_deleted on operations;
--> statement-breakpoint
create trigger operations_never_deleted before delete on operations for each row execute function refuse_change_of_books();
--> statement-breakpoint

-- The one way to remove test data: `most` rows of an abandoned environment, in the order in which they name each other; answers
-- how many, 0 when none is left. No role of the service may delete them itself. The audit log stays.
create function remove_abandoned(environment uuid, most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  name text;
  removed integer;
begin
  if not exists (select from environments where id = environment and mode = 'test' and abandoned_at is not null) then
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
  foreach name in array array['idempotency_keys', 'request_errors', 'total_deltas', 'daily_totals', 'ledger_entries', 'events',
    'settlement_batches', 'transactions', 'payment_tokens', 'client_sessions', 'payments', 'plans'] loop
    execute format('delete from %1$I where ctid = any(array(select ctid from %1$I where environment_id = $1 limit $2))', name)
      using environment, most;
    get diagnostics removed = row_count;
    if removed > 0 then
      return removed;
    end if;
  end loop;
  return 0;
end $$;
