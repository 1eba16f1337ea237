ALTER TABLE "transactions" ADD COLUMN "event_sequence" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Refunds have events already. Not all transactions: charges have had none of their own.
UPDATE "transactions" t SET "event_sequence" = e."last"
FROM (
  SELECT "environment_id", "object_id", max("sequence") AS "last" FROM "events"
  WHERE "type" LIKE 'refund.%' GROUP BY "environment_id", "object_id"
) e
WHERE t."environment_id" = e."environment_id" AND t."id" = e."object_id";
--> statement-breakpoint
-- The version before, which goes on while it is replaced, writes one event when a refund ends and one when it comes back, and
-- does not count them; this version counts its own in the same UPDATE.
create or replace function check_transaction_transition() returns trigger language plpgsql as $$
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
  if old.type = 'REFUND' and new.status <> 'SETTLED' and new.event_sequence = old.event_sequence then
    new.event_sequence := old.event_sequence + 1;
  end if;
  return new;
end $$;
