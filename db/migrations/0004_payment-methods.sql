CREATE TABLE "payment_methods" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"customer_id" text NOT NULL,
	"connection_id" uuid,
	"processor_token" text NOT NULL,
	"card_brand" "card_brand",
	"card_last4" text,
	"card_bin" text,
	"card_exp_month" smallint,
	"card_exp_year" smallint,
	"card_identity" text,
	"consent" jsonb,
	"metadata" jsonb NOT NULL,
	"payment_id" uuid,
	"client_session_id" uuid,
	"removed_at" timestamp (3) with time zone,
	"removal_due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "payment_methods_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "payment_methods_has_token" CHECK ("payment_methods"."processor_token" <> '' or "payment_methods"."removed_at" is not null),
	CONSTRAINT "payment_methods_removal" CHECK ("payment_methods"."removal_due_at" is null or "payment_methods"."removed_at" is not null)
);
--> statement-breakpoint
ALTER TABLE "payment_tokens" ADD COLUMN "payment_method_id" uuid;--> statement-breakpoint
CREATE INDEX "payment_methods_customer" ON "payment_methods" USING btree ("environment_id","customer_id","id");--> statement-breakpoint
CREATE INDEX "payment_methods_token" ON "payment_methods" USING btree ("processor_token") WHERE processor_token <> '';--> statement-breakpoint
CREATE INDEX "payment_methods_removals" ON "payment_methods" USING btree ("removal_due_at") WHERE removal_due_at is not null;
--> statement-breakpoint
-- Also removes stored cards.
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
  -- Including what the simulated processor has of each operation.
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
  -- By key: rows of different partitions can have the same ctid.
  delete from request_log where environment_id = environment
    and id = any(array(select id from request_log where environment_id = environment limit most));
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  delete from sandbox_processor.stored_cards where account = environment;
  -- In one statement, as keys refer to those that they replace.
  delete from api_keys where environment_id = environment;
  foreach name in array array['receipt_mails', 'receipts', 'receipt_settings', 'payouts', 'bank_accounts', 'webhook_attempts',
    'webhook_deliveries', 'webhook_secrets', 'webhook_endpoints', 'reconciliation_runs', 'disputes', 'processor_objects',
    'idempotency_keys', 'total_deltas', 'daily_totals', 'ledger_entries', 'events', 'settlement_batches', 'customers_due',
    'customer_words', 'customers', 'transaction_words', 'transaction_texts', 'transactions', 'payment_tokens',
    'client_sessions', 'payment_links', 'payments', 'payment_methods', 'plans', 'processor_routes', 'processor_connections'] loop
    execute format('delete from %1$I where ctid = any(array(select ctid from %1$I where environment_id = $1 limit $2))', name)
      using environment, most;
    get diagnostics removed = row_count;
    if removed > 0 then
      return removed;
    end if;
  end loop;
  return 0;
end $$;
