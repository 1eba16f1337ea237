CREATE INDEX "operations_unknown" ON "operations" USING btree ("environment_id","unknown_at") WHERE state = 'open' and unknown_at is not null;--> statement-breakpoint
CREATE INDEX "payments_expiring_of_environment" ON "payments" USING btree ("environment_id","capture_before") WHERE status = 'AUTHORIZED';--> statement-breakpoint
CREATE INDEX "transactions_failed_refunds" ON "transactions" USING btree ("environment_id","updated_at") WHERE type = 'REFUND' and status = 'FAILED';--> statement-breakpoint

-- The figures of the overview. What happened is written to total_deltas by triggers, in the commit that made it happen, so
-- that no writer can forget it; a job folds them into daily_totals (db/queries/daily-totals.ts).

-- What a ledger line means for the figures; null: nothing, as settlement moves no money of the merchant's.
create function ledger_measure(debit text, credit text, line smallint) returns text language sql immutable parallel safe as $$
  select case
    when debit = 'processor_receivable' and credit = 'merchant_payable' then case line when 1 then 'captured' else 'refund_failed' end
    when debit = 'merchant_payable' and credit = 'processor_receivable' then 'refunded'
    when debit = 'merchant_payable' and credit = 'fees' then 'fee'
  end
$$;
--> statement-breakpoint
-- How the attempt to charge a card ended; null while it has not.
create function charge_measure(status text) returns text language sql immutable parallel safe as $$
  select case status when 'PENDING' then null when 'DECLINED' then 'declined' when 'FAILED' then 'failed' else 'approved' end
$$;
--> statement-breakpoint
create function add_ledger_delta() returns trigger language plpgsql as $$
begin
  insert into total_deltas (environment_id, currency, measure, amount, count, occurred_at)
  select new.environment_id, new.currency, f.measure, new.amount, 1, new.created_at
  from (select ledger_measure(new.debit_account, new.credit_account, new.line) as measure) f
  where f.measure is not null;
  return null;
end $$;
--> statement-breakpoint
create trigger ledger_entries_delta after insert on ledger_entries for each row
when (new.payment_id is not null) execute function add_ledger_delta();
--> statement-breakpoint
-- Attempts count for the moment they were made: lists by time of creation show the same ones.
create function add_charge_delta() returns trigger language plpgsql as $$
begin
  insert into total_deltas (environment_id, currency, measure, amount, count, occurred_at)
  values (new.environment_id, new.currency, charge_measure(new.status), new.amount, 1, new.created_at);
  if new.status = 'DECLINED' then
    insert into total_deltas (environment_id, currency, measure, amount, count, occurred_at)
    values (new.environment_id, new.currency, 'declined:' || coalesce(new.decline_code, 'generic_decline'), new.amount, 1, new.created_at);
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger transactions_delta after update of status on transactions for each row
when (old.status = 'PENDING' and new.status <> 'PENDING' and new.type = 'CHARGE') execute function add_charge_delta();
--> statement-breakpoint
create trigger transactions_delta_made after insert on transactions for each row
when (new.status <> 'PENDING' and new.type = 'CHARGE') execute function add_charge_delta();
--> statement-breakpoint

-- Every fact that counts, for one environment or all of them: what the figures are made from, and checked against.
create view measured_facts as
  select environment_id, currency, ledger_measure(debit_account, credit_account, line) as measure, amount, created_at as occurred_at
  from ledger_entries
  where payment_id is not null and ledger_measure(debit_account, credit_account, line) is not null
  union all
  select environment_id, currency, charge_measure(status), amount, created_at
  from transactions
  where type = 'CHARGE' and status <> 'PENDING'
  union all
  select environment_id, currency, 'declined:' || coalesce(decline_code, 'generic_decline'), amount, created_at
  from transactions
  where type = 'CHARGE' and status = 'DECLINED';
--> statement-breakpoint
insert into daily_totals (environment_id, currency, day, measure, amount, count)
select f.environment_id, f.currency, (f.occurred_at at time zone m.time_zone)::date, f.measure, sum(f.amount), count(*)
from measured_facts f
join environments e on e.id = f.environment_id
join merchants m on m.id = e.merchant_id
group by 1, 2, 3, 4;
