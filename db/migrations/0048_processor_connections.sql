create domain connection_status as text check (value in ('CONNECTED', 'DISCONNECTED'));
--> statement-breakpoint
CREATE TABLE "operator_connections" (
	"id" uuid PRIMARY KEY NOT NULL,
	"processor" text NOT NULL,
	"account" text NOT NULL,
	"credentials_digest" text NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL,
	"reports_place" text,
	"reports_read_at" timestamp (3) with time zone,
	"reports_held_since" timestamp (3) with time zone,
	"last_webhook_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "processor_connections" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"processor" text NOT NULL,
	"account" text NOT NULL,
	"label" text NOT NULL,
	"status" "connection_status" NOT NULL,
	"credentials" text,
	"hint" text NOT NULL,
	"takes_webhooks" boolean NOT NULL,
	"raw_cards" boolean NOT NULL,
	"is_default" boolean NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL,
	"check_problem" text,
	"reports_place" text,
	"reports_read_at" timestamp (3) with time zone,
	"reports_held_since" timestamp (3) with time zone,
	"last_webhook_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "processor_connections_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "processor_connections_id" UNIQUE("id"),
	CONSTRAINT "processor_connections_account" UNIQUE("environment_id","processor","account"),
	CONSTRAINT "processor_connections_connected" CHECK (("processor_connections"."status" = 'CONNECTED') = ("processor_connections"."credentials" is not null) and ("processor_connections"."status" = 'CONNECTED' or not "processor_connections"."is_default"))
);
--> statement-breakpoint
CREATE TABLE "processor_routes" (
	"environment_id" uuid NOT NULL,
	"position" smallint NOT NULL,
	"currency" text,
	"brand" "card_brand",
	"connection_id" uuid NOT NULL,
	CONSTRAINT "processor_routes_environment_id_position_pk" PRIMARY KEY("environment_id","position")
);
--> statement-breakpoint
ALTER TABLE "payment_tokens" ADD COLUMN "connection_id" uuid;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "connection_id" uuid;--> statement-breakpoint
ALTER TABLE "processor_connections" ADD CONSTRAINT "processor_connections_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "processor_routes" ADD CONSTRAINT "processor_routes_environment_id_connection_id_processor_connections_environment_id_id_fk" FOREIGN KEY ("environment_id","connection_id") REFERENCES "public"."processor_connections"("environment_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "processor_connections_default" ON "processor_connections" USING btree ("environment_id") WHERE is_default;--> statement-breakpoint
CREATE INDEX "processor_connections_revisions" ON "processor_connections" USING btree ("environment_id","revision");--> statement-breakpoint
CREATE INDEX "processor_connections_unread" ON "processor_connections" USING btree ("reports_read_at") WHERE credentials is not null;--> statement-breakpoint
CREATE INDEX "payments_connection" ON "payments" USING btree ("environment_id","connection_id","id") WHERE connection_id is not null;
--> statement-breakpoint
-- Where a payment is cannot change: its later operations would go to an account that knows nothing of it.
create function payments_stay_at_connection() returns trigger
language plpgsql as $$
begin
  raise exception 'payment % is at the connection % for ever', old.id, old.connection_id using errcode = 'check_violation';
end $$;
--> statement-breakpoint
create trigger payments_connection before update of connection_id on payments for each row
  when (old.connection_id is distinct from new.connection_id) execute function payments_stay_at_connection();
--> statement-breakpoint

-- As before, with the tables that were made since.
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
  -- By its key: rows of several partitions may have the same place.
  delete from request_log where environment_id = environment
    and id = any(array(select id from request_log where environment_id = environment limit most));
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  -- Keys name the one that they replace.
  delete from api_keys where environment_id = environment;
  foreach name in array array['receipt_mails', 'receipts', 'receipt_settings', 'payouts', 'bank_accounts', 'webhook_attempts', 'webhook_deliveries', 'webhook_secrets', 'webhook_endpoints',
    'processor_objects', 'idempotency_keys', 'total_deltas', 'daily_totals', 'ledger_entries',
    'events', 'settlement_batches', 'customers_due', 'customer_words', 'customers', 'transaction_words', 'transaction_texts', 'transactions', 'payment_tokens', 'client_sessions', 'payment_links', 'payments', 'plans',
    'processor_routes', 'processor_connections'] loop
    execute format('delete from %1$I where ctid = any(array(select ctid from %1$I where environment_id = $1 limit $2))', name)
      using environment, most;
    get diagnostics removed = row_count;
    if removed > 0 then
      return removed;
    end if;
  end loop;
  return 0;
end $$;
