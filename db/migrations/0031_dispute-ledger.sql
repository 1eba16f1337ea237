CREATE TABLE "dispute_movements" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"dispute_id" uuid NOT NULL,
	"payment_id" uuid NOT NULL,
	"currency" text NOT NULL,
	"amount" bigint NOT NULL,
	"fee" bigint NOT NULL,
	"payout_id" uuid,
	"payout_failed" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "dispute_movements_environment_id_id_pk" PRIMARY KEY("environment_id","id")
);
--> statement-breakpoint
ALTER TABLE "disputes" ADD COLUMN "withdrawn" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "dispute_movement_ids" uuid[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "payouts" ADD COLUMN "dispute_amount" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "dispute_movements_dispute" ON "dispute_movements" USING btree ("environment_id","dispute_id","id");--> statement-breakpoint
CREATE INDEX "dispute_movements_payment" ON "dispute_movements" USING btree ("environment_id","payment_id","id");--> statement-breakpoint
CREATE INDEX "dispute_movements_available" ON "dispute_movements" USING btree ("environment_id","currency","id") WHERE payout_id is null and (amount <> 0 or fee <> 0);--> statement-breakpoint
-- Not validated, because that would read the whole ledger under a lock, and every account was valid before.
alter domain ledger_account drop constraint ledger_account_check;--> statement-breakpoint
alter domain ledger_account add constraint ledger_account_check check (value in (
  'processor_receivable', 'merchant_payable', 'merchant_available', 'merchant_in_payout', 'disputes', 'fees', 'bank', 'suspense')) not valid;--> statement-breakpoint
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
    when debit = 'merchant_available' and credit = 'disputes' then case line when 1 then 'disputed' else 'dispute_fee' end
    when debit = 'disputes' and credit = 'merchant_available' then case line when 1 then 'dispute_returned' else 'dispute_fee_returned' end
    when debit = 'disputes' and credit = 'bank' then 'dispute_paid'
    when debit = 'bank' and credit = 'disputes' then 'dispute_paid_back'
  end
$$;--> statement-breakpoint
-- Books disputes from before, as of now: booked into the past, they would contradict finished reports. Those that are
-- over end in the same commit. An inquiry is held, too, until its next report tells that it took nothing.
insert into dispute_movements (environment_id, id, dispute_id, payment_id, currency, amount, fee, created_at)
select environment_id, (left(id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid, id, payment_id, currency,
  case status when 'WON' then 0 else -amount end, -coalesce(fee, 0), clock_now(environment_id)
from disputes where (status <> 'WON' and amount > 0) or fee > 0;--> statement-breakpoint
insert into ledger_entries (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency, created_at)
select m.environment_id, m.id, l.line, m.payment_id, l.debit, l.credit, l.amount, m.currency, m.created_at
from dispute_movements m
join disputes d on d.environment_id = m.environment_id and d.id = m.dispute_id
cross join lateral (values
  (1, 'merchant_available', 'disputes', -m.amount),
  (2, 'merchant_available', 'disputes', -m.fee),
  (3, 'disputes', 'bank', case when d.status in ('LOST', 'ACCEPTED') then -m.amount end),
  (4, 'disputes', 'bank', case when d.status in ('WON', 'LOST', 'ACCEPTED') then -m.fee end)
) as l (line, debit, credit, amount)
where l.amount > 0;--> statement-breakpoint
-- Abandoned test data goes with its movements.
do $$
begin
  execute replace(pg_get_functiondef('remove_abandoned(uuid, integer)'::regprocedure), '''disputes'', ', '''dispute_movements'', ''disputes'', ');
end $$;
