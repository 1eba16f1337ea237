-- Once for all lines of a statement: the two of a capture, or those of many. Each line still counts in the commit that writes it,
-- whoever writes it.
drop trigger ledger_entries_delta on ledger_entries;
--> statement-breakpoint
drop function add_ledger_delta();
--> statement-breakpoint
create function add_ledger_deltas() returns trigger language plpgsql as $$
begin
  insert into total_deltas (environment_id, currency, measure, amount, count, occurred_at)
  select environment_id, currency, ledger_measure(debit_account, credit_account, line), amount, 1, created_at
  from written
  where payment_id is not null and ledger_measure(debit_account, credit_account, line) is not null;
  return null;
end $$;
--> statement-breakpoint
create trigger ledger_entries_deltas after insert on ledger_entries referencing new table as written
for each statement execute function add_ledger_deltas();
