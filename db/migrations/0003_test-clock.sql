-- Test clocks: the time in a test environment may be ahead of real time.
alter table environments
  add column clock_offset_ms bigint not null default 0,
  add column clock_frozen_at timestamptz(3),
  add column clock_advancing_to timestamptz(3),
  add column clock_failure text,
  add column clock_held_until timestamptz(3),
  add constraint environments_clock check (clock_offset_ms >= 0 and (clock_frozen_at is null) = (clock_advancing_to is null)),
  add constraint environments_live_clock check (mode = 'test' or (clock_offset_ms = 0 and clock_advancing_to is null));
--> statement-breakpoint
create index environments_moved_clock on environments (id) where clock_offset_ms > 0 or clock_advancing_to is not null;
--> statement-breakpoint

-- The time in an environment: real time in live mode, its test clock's in test mode. PL/pgSQL keeps the plan, one
-- look-up by primary key. An unknown environment has no time, so that a row can't be written with a wrong one.
create function clock_now(environment uuid) returns timestamptz language plpgsql stable parallel safe as $$
begin
  return (select coalesce(clock_frozen_at, now() + clock_offset_ms * interval '1 millisecond')
    from environments where id = environment);
end $$;
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
    on conflict (environment_id, endpoint_id, event_id) do nothing;
  end if;
  return null;
end $$;
