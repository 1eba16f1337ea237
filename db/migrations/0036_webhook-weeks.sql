-- Deliveries and their attempts by week of the event, so that old ones are dropped and not deleted row by row.

-- Weekly partitions. No role has grants here: all access goes through the two tables.
create schema webhook_weeks;
--> statement-breakpoint
drop index webhook_deliveries_event;
drop index webhook_deliveries_due;
drop index webhook_deliveries_log;
alter table webhook_deliveries rename to webhook_deliveries_before;
alter table webhook_deliveries_before rename constraint webhook_deliveries_environment_id_id_pk to webhook_deliveries_before_pk;
alter table webhook_attempts rename to webhook_attempts_before;
alter table webhook_attempts_before rename constraint webhook_attempts_environment_id_delivery_id_id_pk to webhook_attempts_before_pk;
--> statement-breakpoint
create table webhook_deliveries (
  like webhook_deliveries_before including defaults including constraints including storage,
  constraint webhook_deliveries_environment_id_id_pk primary key (environment_id, id)
) partition by range (id);
create index webhook_deliveries_due on webhook_deliveries (environment_id, endpoint_id, next_attempt_at)
  where status = 'PENDING';
create index webhook_deliveries_log on webhook_deliveries (environment_id, endpoint_id, id);
create table webhook_attempts (
  like webhook_attempts_before including defaults including constraints including storage,
  constraint webhook_attempts_environment_id_delivery_id_id_pk primary key (environment_id, delivery_id, id)
) partition by range (delivery_id);

-- Default partitions: events of other weeks, as of a test clock that is ahead.
create table webhook_weeks.deliveries_others partition of webhook_deliveries default;
create unique index deliveries_others_event on webhook_weeks.deliveries_others (environment_id, endpoint_id, event_id);
create table webhook_weeks.attempts_others partition of webhook_attempts default;
alter table webhook_weeks.deliveries_others enable row level security;
alter table webhook_weeks.attempts_others enable row level security;
--> statement-breakpoint

-- Adds the partitions of the week that starts on a Monday. They are filled and attached while the default ones
-- are locked, so that no row is missed. A delivery has its event's time, so one partition has all deliveries of
-- an event, and its unique index prevents delivering the event to an endpoint twice.
create function add_webhook_week(monday date) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  week text := to_char(monday, 'YYYYMMDD');
  first uuid := first_id_of(monday);
  after uuid := first_id_of(monday + 7);
begin
  lock table webhook_weeks.deliveries_others, webhook_weeks.attempts_others in access exclusive mode;
  execute format('create table webhook_weeks.deliveries_%1$s (like webhook_deliveries including defaults including constraints including storage);
    create unique index deliveries_%1$s_event on webhook_weeks.deliveries_%1$s (environment_id, endpoint_id, event_id);
    create table webhook_weeks.attempts_%1$s (like webhook_attempts including defaults including constraints including storage);
    alter table webhook_weeks.deliveries_%1$s enable row level security;
    alter table webhook_weeks.attempts_%1$s enable row level security;
    with moved as (delete from webhook_weeks.deliveries_others where id >= %2$L and id < %3$L returning *)
      insert into webhook_weeks.deliveries_%1$s select * from moved;
    with moved as (delete from webhook_weeks.attempts_others where delivery_id >= %2$L and delivery_id < %3$L returning *)
      insert into webhook_weeks.attempts_%1$s select * from moved;
    alter table webhook_deliveries attach partition webhook_weeks.deliveries_%1$s for values from (%2$L) to (%3$L);
    alter table webhook_attempts attach partition webhook_weeks.attempts_%1$s for values from (%2$L) to (%3$L)',
    week, first, after);
end $$;

-- One step: adds this week or one of the next two, drops a week that ended over 90 days ago, or deletes such
-- rows of no week. Returns the number of weeks or rows handled. Payments wait while a drop waits for a reader,
-- so it gives up early: a later run suffices.
create function keep_webhook_weeks() returns integer
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '200ms' as $$
declare
  today date := (now() at time zone 'UTC')::date;
  monday date := date_trunc('week', today)::date;
  week text;
  removed integer;
begin
  if not pg_try_advisory_xact_lock(4846023525) then
    return 0;
  end if;
  for ahead in 0..2 loop
    if to_regclass('webhook_weeks.deliveries_' || to_char(monday + 7 * ahead, 'YYYYMMDD')) is null then
      perform add_webhook_week(monday + 7 * ahead);
      return 1;
    end if;
  end loop;
  select right(relname, 8) into week from pg_class
    where relnamespace = 'webhook_weeks'::regnamespace and relkind = 'r' and relname ~ '^deliveries_[0-9]{8}$'
      and to_date(right(relname, 8), 'YYYYMMDD') + 7 <= today - 90
    order by relname limit 1;
  if found then
    execute format('drop table webhook_weeks.deliveries_%1$s, webhook_weeks.attempts_%1$s', week);
    return 1;
  end if;
  with old as (
    delete from webhook_weeks.deliveries_others where ctid = any(array(
      select ctid from webhook_weeks.deliveries_others where id < first_id_of(today - 90) limit 5000 for update skip locked))
    returning environment_id, id
  ), attempts as (
    delete from webhook_weeks.attempts_others a using old where a.environment_id = old.environment_id and a.delivery_id = old.id
  )
  select count(*) into removed from old;
  return removed;
exception when lock_not_available or deadlock_detected then
  return 0;
end $$;
--> statement-breakpoint

do $$
declare
  monday date;
begin
  for monday in
    select distinct date_trunc('week', date '1970-01-01' + day_of(id))::date from webhook_deliveries_before
    where id >= first_id_of(current_date - 97) and id < first_id_of(current_date + 21)
    union select date_trunc('week', now() at time zone 'UTC')::date + 7 * ahead from generate_series(0, 2) ahead
  loop
    perform add_webhook_week(monday);
  end loop;
end $$;
insert into webhook_deliveries select * from webhook_deliveries_before;
insert into webhook_attempts select * from webhook_attempts_before;
drop table webhook_deliveries_before, webhook_attempts_before;
--> statement-breakpoint

-- Deliveries are attempted in real time, whatever the time of their event.
create or replace function deliver_events() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (
    select from made n join webhook_endpoints e on e.environment_id = n.environment_id and e.status = 'ENABLED' and e.deleted_at is null
  ) then
    insert into webhook_deliveries
      (environment_id, id, endpoint_id, event_id, event_type, status, next_attempt_at, created_at, updated_at)
    select n.environment_id, webhook_delivery_id(n.id), e.id, n.id, n.type, 'PENDING', least(n.created_at, now()), n.created_at, n.created_at
    from made n
    join webhook_endpoints e on e.environment_id = n.environment_id and e.status = 'ENABLED' and e.deleted_at is null
      and (e.event_types = '{*}' or n.type = any(e.event_types))
    -- The caller that requests a test makes its delivery, to one endpoint.
    where n.type <> 'webhook_endpoint.test'
    on conflict do nothing;
  end if;
  return null;
end $$;
--> statement-breakpoint

-- Rows of different partitions can have the same ctid, so it does not suffice to find an environment's rows.
do $$
begin
  execute replace(pg_get_functiondef('remove_abandoned(uuid, integer)'::regprocedure), 'delete from %1$I where ctid', 'delete from %1$I where environment_id = $1 and ctid');
end $$;
