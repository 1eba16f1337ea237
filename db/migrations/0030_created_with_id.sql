ALTER TABLE "client_sessions" DROP CONSTRAINT "client_sessions_created_with_id";--> statement-breakpoint
ALTER TABLE "payments" DROP CONSTRAINT "payments_created_with_id";--> statement-breakpoint
ALTER TABLE "plans" DROP CONSTRAINT "plans_created_with_id";--> statement-breakpoint
ALTER TABLE "transactions" DROP CONSTRAINT "transactions_created_with_id";--> statement-breakpoint

-- Neither id nor time changes afterwards, but a CHECK is parsed and evaluated in every UPDATE of the row. PostgreSQL reads the
-- time of a UUIDv7 by itself from version 18 on.
create function refuse_created_at() returns trigger language plpgsql as $$
begin
  raise exception '%: created_at is not the time in the id', tg_table_name using errcode = 'check_violation', constraint = tg_name;
end $$;
--> statement-breakpoint
do $$
declare
  name text;
  time_of text := case when current_setting('server_version_num')::int >= 180000 then 'uuid_extract_timestamp' else 'uuid_time' end;
begin
  foreach name in array array['client_sessions', 'payments', 'plans', 'transactions'] loop
    execute format('create trigger %1$I before insert or update of id, created_at on %2$I for each row
      when (new.created_at is distinct from %3$I(new.id)) execute function refuse_created_at()', name || '_created_with_id', name, time_of);
  end loop;
end $$;
