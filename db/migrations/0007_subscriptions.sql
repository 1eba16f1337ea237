create domain invoice_kind as text check (value in ('TRIAL', 'PERIOD', 'CHANGE'));
create domain invoice_status as text check (value in ('DRAFT', 'OPEN', 'PAID', 'VOID', 'UNCOLLECTIBLE'));
create domain subscription_status as text check (value in (
  'INCOMPLETE', 'TRIALING', 'ACTIVE', 'PAST_DUE', 'PAUSED', 'CANCELLED', 'EXPIRED'));
--> statement-breakpoint
CREATE TABLE "invoice_counters" (
	"environment_id" uuid NOT NULL,
	"last" integer NOT NULL,
	CONSTRAINT "invoice_counters_environment_id_pk" PRIMARY KEY("environment_id")
);
--> statement-breakpoint
CREATE TABLE "invoices" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"number" integer,
	"kind" "invoice_kind" NOT NULL,
	"subscription_id" uuid NOT NULL,
	"customer_id" text NOT NULL,
	"status" "invoice_status" NOT NULL,
	"cycle" integer NOT NULL,
	"period_number" integer NOT NULL,
	"period_start_at" timestamp (3) with time zone NOT NULL,
	"period_end_at" timestamp (3) with time zone NOT NULL,
	"lines" jsonb NOT NULL,
	"total" bigint NOT NULL,
	"credit_used" bigint NOT NULL,
	"amount_due" bigint NOT NULL,
	"amount_paid" bigint NOT NULL,
	"currency" text NOT NULL,
	"attempts" integer NOT NULL,
	"dunning_step" integer NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"open_payment_id" uuid,
	"open_is_automatic" boolean NOT NULL,
	"payment_ids" uuid[] NOT NULL,
	"change_on_payment" jsonb,
	"paid_at" timestamp (3) with time zone,
	"voided_at" timestamp (3) with time zone,
	"event_sequence" integer NOT NULL,
	"version" integer NOT NULL,
	"metadata" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invoices_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "invoices_number" UNIQUE("environment_id","number"),
	CONSTRAINT "invoices_numbered" CHECK (("invoices"."status" = 'DRAFT') = ("invoices"."number" is null)),
	CONSTRAINT "invoices_amounts" CHECK ("invoices"."amount_due" = greatest("invoices"."total", 0) - "invoices"."credit_used" and "invoices"."credit_used" >= 0
        and "invoices"."amount_due" >= 0 and "invoices"."amount_paid" in (0, "invoices"."amount_due")),
	CONSTRAINT "invoices_paid" CHECK (("invoices"."status" = 'PAID') = ("invoices"."paid_at" is not null)
        and ("invoices"."status" = 'PAID') = ("invoices"."amount_paid" = "invoices"."amount_due" and "invoices"."paid_at" is not null)),
	CONSTRAINT "invoices_voided" CHECK (("invoices"."status" = 'VOID') = ("invoices"."voided_at" is not null)),
	CONSTRAINT "invoices_tries" CHECK ("invoices"."status" in ('DRAFT', 'OPEN') or ("invoices"."next_attempt_at" is null and "invoices"."open_payment_id" is null))
);
--> statement-breakpoint
CREATE TABLE "subscription_trials" (
	"environment_id" uuid NOT NULL,
	"plan_id" uuid NOT NULL,
	"key" "bytea" NOT NULL,
	"subscription_id" uuid NOT NULL,
	CONSTRAINT "subscription_trials_environment_id_plan_id_key_pk" PRIMARY KEY("environment_id","plan_id","key")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"status" "subscription_status" NOT NULL,
	"plan_id" uuid NOT NULL,
	"plan" jsonb NOT NULL,
	"customer_id" text NOT NULL,
	"customer_email" text,
	"payment_method_id" uuid NOT NULL,
	"quantity" integer NOT NULL,
	"currency" text NOT NULL,
	"time_zone" text NOT NULL,
	"anchor_at" timestamp (3) with time zone NOT NULL,
	"cycle" integer NOT NULL,
	"period_number" integer NOT NULL,
	"period_start_at" timestamp (3) with time zone NOT NULL,
	"period_end_at" timestamp (3) with time zone NOT NULL,
	"trial_end_at" timestamp (3) with time zone,
	"trial_refused" boolean NOT NULL,
	"trial_end_told" boolean NOT NULL,
	"cancel_at_period_end" boolean NOT NULL,
	"cancelled_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"cancel_reason" text,
	"paused_at" timestamp (3) with time zone,
	"pending_change" jsonb,
	"credit" bigint NOT NULL,
	"refund_due" bigint NOT NULL,
	"latest_invoice_id" uuid,
	"due_at" timestamp (3) with time zone,
	"event_sequence" integer NOT NULL,
	"version" integer NOT NULL,
	"metadata" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "subscriptions_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "subscriptions_quantity" CHECK ("subscriptions"."quantity" between 1 and 10000),
	CONSTRAINT "subscriptions_credit" CHECK ("subscriptions"."credit" >= 0 and "subscriptions"."refund_due" >= 0),
	CONSTRAINT "subscriptions_period" CHECK ("subscriptions"."period_start_at" < "subscriptions"."period_end_at"),
	CONSTRAINT "subscriptions_ended" CHECK (("subscriptions"."status" in ('CANCELLED', 'EXPIRED')) = ("subscriptions"."ended_at" is not null)),
	CONSTRAINT "subscriptions_paused" CHECK (("subscriptions"."status" = 'PAUSED') = ("subscriptions"."paused_at" is not null)),
	CONSTRAINT "subscriptions_due_at" CHECK (("subscriptions"."due_at" is null) = ("subscriptions"."status" in ('PAUSED', 'CANCELLED', 'EXPIRED') and "subscriptions"."refund_due" = 0))
);
--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "invoice_id" uuid;--> statement-breakpoint
CREATE INDEX "invoices_due" ON "invoices" USING btree ("environment_id","next_attempt_at") WHERE next_attempt_at is not null and open_payment_id is null;--> statement-breakpoint
CREATE INDEX "invoices_subscription" ON "invoices" USING btree ("environment_id","subscription_id","id");--> statement-breakpoint
CREATE INDEX "invoices_customer" ON "invoices" USING btree ("environment_id","customer_id","id");--> statement-breakpoint
CREATE INDEX "invoices_status" ON "invoices" USING btree ("environment_id","status","id");--> statement-breakpoint
CREATE INDEX "subscription_trials_subscription" ON "subscription_trials" USING btree ("environment_id","subscription_id");--> statement-breakpoint
CREATE INDEX "subscriptions_due" ON "subscriptions" USING btree ("environment_id","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_status" ON "subscriptions" USING btree ("environment_id","status","id");--> statement-breakpoint
CREATE INDEX "subscriptions_plan" ON "subscriptions" USING btree ("environment_id","plan_id","id");--> statement-breakpoint
CREATE INDEX "subscriptions_customer" ON "subscriptions" USING btree ("environment_id","customer_id","id");--> statement-breakpoint
CREATE INDEX "subscriptions_payment_method" ON "subscriptions" USING btree ("environment_id","payment_method_id");
--> statement-breakpoint
-- One invoice for each period, whoever makes it; a change that was declined began none.
create unique index invoices_period on invoices (environment_id, subscription_id, cycle, period_number)
where kind in ('TRIAL', 'PERIOD') and not (status = 'VOID' and change_on_payment is not null);
--> statement-breakpoint
-- Status changes are limited to those in lib/domain/subscriptions/states.ts.
create function check_subscription_transition() returns trigger language plpgsql as $$
begin
  if (old.status || '>' || new.status) <> all (array[
    'INCOMPLETE>TRIALING', 'INCOMPLETE>ACTIVE', 'INCOMPLETE>EXPIRED', 'TRIALING>ACTIVE', 'TRIALING>PAST_DUE',
    'TRIALING>PAUSED', 'TRIALING>CANCELLED', 'ACTIVE>PAST_DUE', 'ACTIVE>PAUSED', 'ACTIVE>CANCELLED',
    'PAST_DUE>ACTIVE', 'PAST_DUE>PAUSED', 'PAST_DUE>CANCELLED', 'PAUSED>ACTIVE', 'PAUSED>CANCELLED'
  ]) then
    perform refuse_transition(old.status, new.status);
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger subscriptions_transition before update of status on subscriptions for each row
when (old.status is distinct from new.status) execute function check_subscription_transition();
--> statement-breakpoint
create function check_invoice_transition() returns trigger language plpgsql as $$
begin
  if (old.status || '>' || new.status) <> all (array[
    'DRAFT>OPEN', 'DRAFT>PAID', 'OPEN>PAID', 'OPEN>VOID', 'OPEN>UNCOLLECTIBLE', 'UNCOLLECTIBLE>VOID'
  ]) then
    perform refuse_transition(old.status, new.status);
  end if;
  if old.number is not null and new.number is distinct from old.number then
    raise exception 'an invoice keeps its number' using errcode = 'check_violation';
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger invoices_transition before update of status, number on invoices for each row
when (old.status is distinct from new.status or old.number is distinct from new.number) execute function check_invoice_transition();
--> statement-breakpoint
-- Abandoned test data goes with its subscriptions.
do $$
begin
  execute replace(pg_get_functiondef('remove_abandoned(uuid, integer)'::regprocedure), '''payments'', ', '''payments'', ''subscription_trials'', ''invoices'', ''subscriptions'', ''invoice_counters'', ');
end $$;
