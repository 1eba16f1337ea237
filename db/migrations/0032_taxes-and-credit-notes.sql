CREATE TABLE "credit_note_counters" (
	"environment_id" uuid NOT NULL,
	"last" integer NOT NULL,
	CONSTRAINT "credit_note_counters_environment_id_pk" PRIMARY KEY("environment_id")
);
--> statement-breakpoint
CREATE TABLE "credit_notes" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"payment_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"amount" bigint NOT NULL,
	"tax_name" text,
	"tax_rate" integer,
	"tax_amount" bigint,
	"voided_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "credit_notes_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "credit_notes_number" UNIQUE("environment_id","number"),
	CONSTRAINT "credit_notes_tax" CHECK (("credit_notes"."tax_name" is null) = ("credit_notes"."tax_rate" is null) and ("credit_notes"."tax_rate" is null) = ("credit_notes"."tax_amount" is null)),
	CONSTRAINT "credit_notes_amount" CHECK ("credit_notes"."amount" > 0)
);
--> statement-breakpoint
ALTER TABLE "environments" ADD COLUMN "tax_name" text;--> statement-breakpoint
ALTER TABLE "environments" ADD COLUMN "tax_rate" integer;--> statement-breakpoint
ALTER TABLE "environments" ADD COLUMN "document_locale" text DEFAULT 'en' NOT NULL;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "tax_name" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "tax_rate" integer;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "tax_name" text;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "tax_rate" integer;--> statement-breakpoint
CREATE INDEX "credit_notes_payment" ON "credit_notes" USING btree ("environment_id","payment_id","id");--> statement-breakpoint
ALTER TABLE "environments" ADD CONSTRAINT "environments_tax" CHECK (("environments"."tax_name" is null) = ("environments"."tax_rate" is null) and "environments"."tax_rate" between 1 and 100000);--> statement-breakpoint
-- The tax in an amount that includes it, rounded half-even; `includedTax` of lib/contract/invoices/tax.ts. The
-- rate is in thousandths of a percent.
create function included_tax(gross bigint, rate integer) returns bigint
language sql immutable strict parallel safe as $$
  select sign(gross)::bigint * (floor + case when rest * 2 > whole or (rest * 2 = whole and floor % 2 = 1) then 1 else 0 end)::bigint
  from (select abs(gross)::numeric * rate as part, 100000::numeric + rate as whole) terms
  cross join lateral (select div(part, whole) as floor, mod(part, whole) as rest) divided
$$;
--> statement-breakpoint
-- A later change of the setting must not change a document.
create function refuse_other_tax() returns trigger language plpgsql as $$
begin
  raise exception 'a document that has been issued keeps its tax' using errcode = 'check_violation';
end $$;
--> statement-breakpoint
create trigger invoices_keep_tax before update of tax_name, tax_rate on invoices for each row
when (old.number is not null and (new.tax_name is distinct from old.tax_name or new.tax_rate is distinct from old.tax_rate))
execute function refuse_other_tax();
--> statement-breakpoint
create trigger payments_keep_tax before update of tax_name, tax_rate on payments for each row
when (old.amount_captured > 0 and (new.tax_name is distinct from old.tax_name or new.tax_rate is distinct from old.tax_rate))
execute function refuse_other_tax();
--> statement-breakpoint
-- Past refunds get their numbers in the order in which they succeeded, without a tax.
insert into credit_notes (environment_id, id, payment_id, number, amount, created_at)
select environment_id, id, payment_id,
  row_number() over (partition by environment_id order by coalesce(captured_at, updated_at), id), amount, coalesce(captured_at, updated_at)
from transactions where type = 'REFUND' and status in ('CAPTURED', 'SETTLED');
--> statement-breakpoint
insert into credit_note_counters (environment_id, last)
select environment_id, max(number) from credit_notes group by environment_id;
--> statement-breakpoint
-- Abandoned test data goes with its documents.
do $$
begin
  execute replace(pg_get_functiondef('remove_abandoned(uuid, integer)'::regprocedure), '''payments'', ',
    '''payments'', ''credit_notes'', ''credit_note_counters'', ');
end $$;
