DROP INDEX "transactions_payment";--> statement-breakpoint
DROP INDEX "transactions_client_session";--> statement-breakpoint
CREATE INDEX "transactions_refunds" ON "transactions" USING btree ("environment_id","payment_id","id") WHERE type = 'REFUND';--> statement-breakpoint
CREATE INDEX "transactions_client_session" ON "transactions" USING btree ("environment_id","client_session_id","id") WHERE client_session_id is not null and type = 'CHARGE';--> statement-breakpoint
-- A plan that is made while a table is empty, and kept, cannot tell one index from another: they cost the same, and the one
-- made last is taken. That has to be the primary key, so it is made anew; what refers to it is put back as it was.
DO $$
DECLARE
  own record;
  other record;
BEGIN
  FOR own IN
    SELECT c.oid, c.conrelid::regclass AS "table", c.conname, pg_get_constraintdef(c.oid) AS definition
    FROM pg_constraint c
    WHERE c.contype = 'p' AND c.conrelid IN ('payments'::regclass, 'transactions'::regclass, 'operations'::regclass,
      'idempotency_keys'::regclass, 'client_sessions'::regclass, 'payment_tokens'::regclass, 'plans'::regclass)
  LOOP
    CREATE TEMP TABLE referring ON COMMIT DROP AS
      SELECT f.conrelid::regclass::text AS "table", f.conname::text AS name, pg_get_constraintdef(f.oid) AS definition
      FROM pg_constraint f
      WHERE f.contype = 'f' AND f.conindid = (SELECT conindid FROM pg_constraint WHERE oid = own.oid);
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', own."table", own.conname);
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', own."table", own.conname, own.definition);
    FOR other IN SELECT * FROM referring LOOP
      EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', other."table", other.name, other.definition);
    END LOOP;
    DROP TABLE referring;
  END LOOP;
END $$;
