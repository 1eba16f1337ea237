import type { Database, Sql } from "@/db/client";

/** A payment in a double's books; `reference` and `account` are ours. Amounts in minor units. */
type ChargeRow = {
  reference: string;
  /** Null where the processor is not told it: whose the payment is by our own books, then. */
  account: string | null | undefined;
  amount: number;
  currency: string;
  outcome: "approved" | "declined" | "action_required" | "closed";
  challenged: boolean;
  amount_captured: number;
  amount_refunded: number;
  voided: boolean;
};

/** A capture, void or refund in a double's books. `failed`: it was accepted, and came back. */
type OperationRow = {
  reference: string | undefined;
  account: string | null | undefined;
  kind: "capture" | "void" | "refund";
  charge: string;
  amount: number;
  currency: string;
  outcome: string | null;
};

export type BookRows = { charges: ChargeRow[]; operations: OperationRow[] };

/**
 * A double's books as tables in the shape of the sandbox's, so that proofs compare them with ours by the same queries. They are
 * written anew from its memory each time.
 */
const tables = (schema: string) => `
  create schema if not exists ${schema};
  create table if not exists ${schema}.charges (
    reference uuid primary key, account uuid, amount bigint not null, currency text not null, outcome text not null,
    challenged boolean not null, amount_captured bigint not null, amount_refunded bigint not null, voided boolean not null);
  create table if not exists ${schema}.operations (
    reference uuid primary key, account uuid, kind text not null, charge uuid not null, amount bigint not null,
    currency text not null, outcome text not null);
  truncate ${schema}.charges, ${schema}.operations;`;

/** Of what no account is told it is that of our operation; what we know nothing of stays nobody's, and is found by that. */
const accounts = (schema: string) =>
  ["charges", "operations"]
    .map(
      (table) => `update ${schema}.${table} r set account = o.environment_id from operations o
      where r.account is null and o.id = r.reference;`,
    )
    .join("\n");

export async function writeDoubleBooks(sql: Sql, schema: string, rows: readonly BookRows[]): Promise<void> {
  const charges = rows.flatMap((row) => row.charges);
  const operations = rows.flatMap((row) => row.operations);
  const into = (table: string) => sql(`${schema}.${table}`);
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext(${schema}))`;
    await tx.unsafe(tables(schema));
    await tx`insert into ${into("charges")} select * from jsonb_populate_recordset(null::${into("charges")}, ${tx.json(charges as never)})`;
    await tx`insert into ${into("operations")} select * from jsonb_populate_recordset(null::${into("operations")}, ${tx.json(operations as never)})`;
    await tx.unsafe(accounts(schema));
  });
}

/** What of us it must have, what of it we must have, and the money of each payment with nothing under way, to the cent. */
const checks = (schema: string) => ({
  it_has_what_succeeded: `
    select o.id, o.kind, o.amount, c.outcome, f.outcome as follow_up, f.amount as its_amount
    from operations o
    join environments e on e.id = o.environment_id and e.mode = 'test'
    left join ${schema}.charges c on c.reference = o.id and o.kind = 'authorize'
    left join ${schema}.operations f on f.reference = o.id and f.kind = o.kind
    where o.state = 'succeeded' and o.kind in ('authorize', 'capture', 'void', 'refund')
      and not coalesce(case when o.kind = 'authorize' then c.outcome = 'approved' and c.amount = o.amount
        else f.outcome = 'approved' and f.amount = o.amount and f.currency = o.currency end, false)`,
  we_have_what_it_did: `
    select r.reference, r.kind, r.outcome, o.state, r.amount, o.amount as our_amount
    from (select reference, account, 'authorize' as kind, amount, currency, outcome,
        case outcome when 'approved' then array['open', 'succeeded', case when challenged then 'action_required' end]
          when 'action_required' then array['open', 'action_required']
          when 'declined' then array['open', 'declined', 'action_required']
          else array['open', 'failed'] end as states
      from ${schema}.charges
      union all
      select reference, account, kind, amount, currency, outcome,
        case outcome when 'approved' then array['open', 'succeeded'] when 'failed' then array['failed', 'declined']
          when 'declined' then array['open', 'declined'] else array['open'] end
      from ${schema}.operations) r
    left join operations o on o.environment_id = r.account and o.id = r.reference and o.kind = r.kind
    where o.id is null or o.amount <> r.amount or o.currency <> r.currency or not o.state = any(r.states)`,
  the_same_money: `
    select p.id, p.status, p.amount_captured, c.amount_captured as its_captured, p.amount_refunded,
      c.amount_refunded as its_refunded, c.voided
    from payments p
    join ${schema}.charges c on c.account = p.environment_id and c.reference = p.authorization_id
    where p.open_operation_id is null and p.refund_pending = 0
      and (p.amount_captured <> c.amount_captured or p.amount_refunded <> c.amount_refunded
        or (p.status = 'VOIDED') <> c.voided)`,
});

/** Where these books and ours differ. */
export async function faultsOfBooks(db: Database, schema: string, rows: readonly BookRows[]): Promise<unknown[]> {
  await writeDoubleBooks(db.sql, schema, rows);
  const faults: unknown[] = [];
  for (const [check, query] of Object.entries(checks(schema))) {
    const found = await db.sql.unsafe(`${query} limit 5`);
    if (found.length > 0) faults.push({ check, rows: Array.from(found) });
  }
  return faults;
}
