-- The last line of defence: what no code path, script or console session can get past.

-- A status changes only along the one table of lib/domain/payments/states.ts (a test compares them pair by pair). The lists
-- are in the functions, which PostgreSQL parses once per connection, and not in the triggers, which it parses every time.
create function refuse_transition(old_status text, new_status text) returns void language plpgsql as $$
begin
  raise exception 'status cannot change from % to %', old_status, new_status using errcode = 'check_violation';
end $$;
--> statement-breakpoint
create function check_payment_transition() returns trigger language plpgsql as $$
begin
  if (old.status || '>' || new.status) <> all (array[
    '>', 'PENDING>REQUIRES_ACTION', 'PENDING>AUTHORIZED', 'PENDING>CAPTURED', 'PENDING>DECLINED', 'PENDING>FAILED',
    'REQUIRES_ACTION>PENDING', 'AUTHORIZED>CAPTURED', 'AUTHORIZED>VOIDED', 'CAPTURED>SETTLED',
    'CAPTURED>PARTIALLY_REFUNDED', 'CAPTURED>REFUNDED', 'SETTLED>PARTIALLY_REFUNDED', 'SETTLED>REFUNDED',
    'PARTIALLY_REFUNDED>REFUNDED', 'PARTIALLY_REFUNDED>CAPTURED', 'PARTIALLY_REFUNDED>SETTLED',
    'REFUNDED>PARTIALLY_REFUNDED', 'REFUNDED>CAPTURED', 'REFUNDED>SETTLED'
  ]) then
    perform refuse_transition(old.status, new.status);
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger payments_transition before update of status on payments for each row
when (old.status is distinct from new.status) execute function check_payment_transition();
--> statement-breakpoint
create function check_transaction_transition() returns trigger language plpgsql as $$
begin
  if (old.type || ':' || old.status || '>' || new.status) <> all (array[
    ':', '>', 'CHARGE:PENDING>AUTHORIZED', 'CHARGE:PENDING>CAPTURED', 'CHARGE:PENDING>DECLINED',
    'CHARGE:PENDING>FAILED', 'CHARGE:AUTHORIZED>CAPTURED', 'CHARGE:AUTHORIZED>VOIDED', 'CHARGE:CAPTURED>SETTLED',
    'CHARGE:CAPTURED>PARTIALLY_REFUNDED', 'CHARGE:CAPTURED>REFUNDED', 'CHARGE:SETTLED>PARTIALLY_REFUNDED',
    'CHARGE:SETTLED>REFUNDED', 'CHARGE:PARTIALLY_REFUNDED>REFUNDED', 'CHARGE:PARTIALLY_REFUNDED>CAPTURED',
    'CHARGE:PARTIALLY_REFUNDED>SETTLED', 'CHARGE:REFUNDED>PARTIALLY_REFUNDED', 'CHARGE:REFUNDED>CAPTURED',
    'CHARGE:REFUNDED>SETTLED', 'REFUND:PENDING>CAPTURED', 'REFUND:PENDING>FAILED', 'REFUND:CAPTURED>SETTLED',
    'REFUND:CAPTURED>FAILED', 'REFUND:SETTLED>FAILED'
  ]) then
    perform refuse_transition(old.status, new.status);
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger transactions_transition before update of status on transactions for each row
when (old.status is distinct from new.status) execute function check_transaction_transition();
--> statement-breakpoint

-- The ledger and the audit log are append-only; an intent is never deleted.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'check_violation';
end $$;
--> statement-breakpoint
create trigger ledger_entries_append_only before update or delete on ledger_entries for each row execute function refuse_change();
--> statement-breakpoint
create trigger audit_log_append_only before update or delete on audit_log for each row execute function refuse_change();
--> statement-breakpoint
create trigger operations_never_deleted before delete on operations for each row execute function refuse_change();
--> statement-breakpoint

-- Ends the statement that writes an outcome (db/queries/payments.ts, writeOutcome): whole, or not at all.
create function require_written(operations bigint) returns void language plpgsql as $$
begin
  if operations <> 1 then
    raise exception 'the payment or its operation has changed' using errcode = 'CL001';
  end if;
end $$;
--> statement-breakpoint

-- Lists that filter by times and amounts count and skip rows in this index alone; Drizzle cannot say INCLUDE.
alter table transactions drop constraint transactions_environment_id_id_pk,
  add constraint transactions_environment_id_id_pk primary key (environment_id, id) include (status, card_brand, amount);
