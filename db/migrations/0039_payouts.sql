-- No row can break the longer list, so none is looked at.
alter domain ledger_account drop constraint ledger_account_check;
--> statement-breakpoint
alter domain ledger_account add constraint ledger_account_check check (value in ('processor_receivable', 'merchant_payable', 'merchant_available', 'merchant_in_payout', 'fees', 'bank', 'suspense')) not valid;
--> statement-breakpoint
create domain payout_status as text check (value in ('PENDING', 'IN_TRANSIT', 'PAID', 'FAILED'));
--> statement-breakpoint
CREATE TABLE "bank_accounts" (
	"environment_id" uuid NOT NULL,
	"holder" text NOT NULL,
	"bank_name" text NOT NULL,
	"country" text NOT NULL,
	"last4" text NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "bank_accounts_environment_id_pk" PRIMARY KEY("environment_id"),
	CONSTRAINT "bank_accounts_last4" CHECK ("bank_accounts"."last4" ~ '^[0-9A-Z]{4}$')
);
--> statement-breakpoint
CREATE TABLE "payouts" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"status" "payout_status" NOT NULL,
	"currency" text NOT NULL,
	"amount" bigint NOT NULL,
	"settlement_batch_ids" uuid[] NOT NULL,
	"bank_name" text NOT NULL,
	"bank_country" text NOT NULL,
	"bank_last4" text NOT NULL,
	"arrival_date" date NOT NULL,
	"failure_reason" text,
	"due_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "payouts_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "payouts_amount" CHECK ("payouts"."amount" > 0),
	CONSTRAINT "payouts_reason" CHECK (("payouts"."status" = 'FAILED') = ("payouts"."failure_reason" is not null))
);
--> statement-breakpoint
ALTER TABLE "settlement_batches" ADD COLUMN "payout_id" uuid;--> statement-breakpoint
ALTER TABLE "settlement_batches" ADD COLUMN "payout_failed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "payouts_status" ON "payouts" USING btree ("environment_id","status","id");--> statement-breakpoint
CREATE INDEX "payouts_currency" ON "payouts" USING btree ("environment_id","currency","id");--> statement-breakpoint
CREATE INDEX "payouts_due" ON "payouts" USING btree ("due_at") WHERE status in ('PENDING', 'IN_TRANSIT');--> statement-breakpoint
CREATE INDEX "settlement_batches_available" ON "settlement_batches" USING btree ("environment_id","currency","id") WHERE payout_id is null;--> statement-breakpoint
CREATE INDEX "settlement_batches_currency" ON "settlement_batches" USING btree ("environment_id","currency","id");
--> statement-breakpoint

create function check_payout_transition() returns trigger language plpgsql as $$
begin
  if (old.status || '>' || new.status) <> all (array['>', 'PENDING>IN_TRANSIT', 'IN_TRANSIT>PAID', 'IN_TRANSIT>FAILED']) then
    perform refuse_transition(old.status, new.status);
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger payouts_transition before update of status on payouts for each row
when (old.status is distinct from new.status) execute function check_payout_transition();
--> statement-breakpoint

-- What is settled and paid out counts in the daily totals as well: the balance is read from them.
create or replace function ledger_measure(debit text, credit text, line smallint) returns text language sql immutable parallel safe as $$
  select case
    when debit = 'processor_receivable' and credit = 'merchant_payable' then case line when 1 then 'captured' else 'refund_failed' end
    when debit = 'merchant_payable' and credit = 'processor_receivable' then 'refunded'
    when debit = 'merchant_payable' and credit = 'fees' then 'fee'
    when debit = 'merchant_payable' and credit = 'merchant_available' then 'settled'
    when debit = 'merchant_available' and credit = 'merchant_payable' then 'settled_back'
    when debit = 'merchant_available' and credit = 'merchant_in_payout' then 'payout'
    when debit = 'merchant_in_payout' and credit = 'merchant_available' then 'payout_failed'
    when debit = 'merchant_in_payout' and credit = 'bank' then 'payout_paid'
  end
$$;
--> statement-breakpoint
create or replace function add_ledger_deltas() returns trigger language plpgsql as $$
begin
  insert into total_deltas (environment_id, currency, measure, amount, count, occurred_at)
  select environment_id, currency, ledger_measure(debit_account, credit_account, line), amount, 1, created_at
  from written
  where ledger_measure(debit_account, credit_account, line) is not null;
  return null;
end $$;
--> statement-breakpoint
create or replace view measured_facts with (security_invoker = true) as
  select environment_id, currency, ledger_measure(debit_account, credit_account, line) as measure, amount, created_at as occurred_at
  from ledger_entries
  where ledger_measure(debit_account, credit_account, line) is not null
  union all
  select environment_id, currency, charge_measure(status), amount, created_at
  from transactions
  where type = 'CHARGE' and status <> 'PENDING'
  union all
  select environment_id, currency, 'declined:' || coalesce(decline_code, 'generic_decline'), amount, created_at
  from transactions
  where type = 'CHARGE' and status = 'DECLINED';
--> statement-breakpoint

-- A batch's net amount goes from pending to available: its line 4. This version writes it with the others. For a batch of the
-- version before, which goes on settling while it is replaced, it is written at the end of its commit.
create function settlement_fees(environment uuid, batch uuid) returns bigint language sql stable as $$
  select coalesce(sum(l.amount), 0)::bigint
  from transactions t
  join operations o on o.environment_id = t.environment_id and o.payment_id = t.payment_id
  join ledger_entries l on l.environment_id = o.environment_id and l.operation_id = o.id and l.line = 2 and l.credit_account = 'fees'
  where t.environment_id = environment and t.settlement_batch_id = batch and t.type = 'CHARGE'
$$;
--> statement-breakpoint
create function settle_net() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  net bigint;
begin
  if exists (select from ledger_entries where environment_id = new.environment_id and operation_id = new.id and line = 4) then
    return null;
  end if;
  net := new.charge_amount - new.refund_amount + new.reversal_amount - settlement_fees(new.environment_id, new.id);
  if net <> 0 then
    insert into ledger_entries
      (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency, created_at)
    values (new.environment_id, new.id, 4, null,
      case when net > 0 then 'merchant_payable' else 'merchant_available' end,
      case when net > 0 then 'merchant_available' else 'merchant_payable' end, abs(net), new.currency, new.created_at);
  end if;
  return null;
end $$;
--> statement-breakpoint
create constraint trigger settlement_batches_net after insert on settlement_batches
deferrable initially deferred for each row execute function settle_net();
--> statement-breakpoint
-- Once for each batch: as a subquery its sum would be reckoned wherever it is named.
with settled as materialized (
  select b.*, b.charge_amount - b.refund_amount + b.reversal_amount - settlement_fees(b.environment_id, b.id) as net
  from settlement_batches b
)
insert into ledger_entries
  (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency, created_at)
select environment_id, id, 4, null,
  case when net > 0 then 'merchant_payable' else 'merchant_available' end,
  case when net > 0 then 'merchant_available' else 'merchant_payable' end, abs(net), currency, created_at
from settled
where net <> 0;
--> statement-breakpoint

-- What the version before waits for while it takes payments comes last, so that it waits no longer than it must.
CREATE INDEX "ledger_entries_movements" ON "ledger_entries" USING btree ("environment_id","currency","debit_account","credit_account","line","created_at","operation_id");--> statement-breakpoint
CREATE INDEX "transactions_reversal_batch" ON "transactions" USING btree ("environment_id","reversal_batch_id") WHERE reversal_batch_id is not null;--> statement-breakpoint
create trigger transactions_indexed after insert on transactions referencing new table as made for each statement execute function index_transactions();
