import type { Database, Sql } from "@/db/client";
import { fromStripe } from "@/lib/processor/stripe/amounts";
import { METADATA } from "@/lib/processor/stripe/outcomes";
import type { Double } from "./double";

/**
 * The double's books as tables in the shape of the sandbox's, so that proofs compare them with ours by the same queries. They are
 * written anew from its memory each time.
 */
const TABLES = `
  create schema if not exists stripe_processor;
  create table if not exists stripe_processor.charges (
    reference uuid primary key, account uuid not null, amount bigint not null, currency text not null, outcome text not null,
    challenged boolean not null, amount_captured bigint not null, amount_refunded bigint not null, voided boolean not null);
  create table if not exists stripe_processor.operations (
    reference uuid primary key, account uuid not null, kind text not null, charge uuid not null, amount bigint not null,
    currency text not null, outcome text not null);
  truncate stripe_processor.charges, stripe_processor.operations;`;

export async function writeBooks(sql: Sql, doubles: readonly Double[]): Promise<void> {
  const rows = doubles.map(rowsOf);
  const charges = rows.flatMap((row) => row.charges);
  const operations = rows.flatMap((row) => row.operations);
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext('stripe_processor'))`;
    await tx.unsafe(TABLES);
    await tx`insert into stripe_processor.charges
      select * from jsonb_populate_recordset(null::stripe_processor.charges, ${tx.json(charges as never)})`;
    await tx`insert into stripe_processor.operations
      select * from jsonb_populate_recordset(null::stripe_processor.operations, ${tx.json(operations as never)})`;
  });
}

function rowsOf({ books }: Double): { charges: object[]; operations: object[] } {
  const charges: object[] = [];
  const operations: object[] = [];
  for (const intent of books.intents.values()) {
    const { [METADATA.reference]: reference, [METADATA.account]: account } = intent.metadata;
    if (reference === undefined) continue;
    const minor = (units: number) => fromStripe({ amount: units, currency: intent.currency }).amount;
    const charge = books.charges.get(String(intent.latest_charge));
    const { amount, currency } = fromStripe(intent);
    const isAuthorized = charge?.status === "succeeded";
    const wasVoided = isAuthorized && intent.status === "canceled";
    const named = { account, charge: reference, currency };
    // What was closed before anybody knew that it was authorized is released, and counts as closed.
    const wasClosed = wasVoided && intent.metadata[METADATA.void] === undefined;
    const declined = intent.last_payment_error || (intent.status === "canceled" && intent.payment_method !== null);
    charges.push({
      ...{ reference, account, amount, currency },
      outcome: wasClosed
        ? "closed"
        : isAuthorized
          ? "approved"
          : declined
            ? "declined"
            : intent.status === "requires_action"
              ? "action_required"
              : "closed",
      challenged: intent.payment_method === null || charge?.payment_method_details?.card?.three_d_secure != null,
      amount_captured: minor(intent.amount_received),
      amount_refunded: wasVoided ? 0 : minor(charge?.amount_refunded ?? 0),
      voided: wasVoided && !wasClosed,
    });
    const captured = intent.metadata[METADATA.capture];
    if (captured !== undefined && intent.status === "succeeded")
      operations.push({
        ...named,
        ...{ reference: captured, kind: "capture", amount: minor(intent.amount_received), outcome: "approved" },
      });
    if (wasVoided && !wasClosed)
      operations.push({
        ...named,
        ...{ reference: intent.metadata[METADATA.void], kind: "void", amount, outcome: "approved" },
      });
    for (const refund of books.refunds.values())
      if (refund.payment_intent === intent.id)
        operations.push({
          ...named,
          ...{ reference: refund.metadata?.[METADATA.reference], kind: "refund", amount: minor(refund.amount) },
          outcome: refund.status === "succeeded" ? "approved" : refund.status,
        });
  }
  return { charges, operations };
}

/** What of us it must have, what of it we must have, and the money of each payment with nothing under way, to the cent. */
const CHECKS = {
  it_has_what_succeeded: `
    select o.id, o.kind, o.amount, c.outcome, f.outcome as follow_up, f.amount as its_amount
    from operations o
    join environments e on e.id = o.environment_id and e.mode = 'test'
    left join stripe_processor.charges c on c.reference = o.id and o.kind = 'authorize'
    left join stripe_processor.operations f on f.reference = o.id and f.kind = o.kind
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
      from stripe_processor.charges
      union all
      select reference, account, kind, amount, currency, outcome,
        case outcome when 'approved' then array['open', 'succeeded'] when 'failed' then array['failed', 'declined']
          else array['open'] end
      from stripe_processor.operations) r
    left join operations o on o.environment_id = r.account and o.id = r.reference and o.kind = r.kind
    where o.id is null or o.amount <> r.amount or o.currency <> r.currency or not o.state = any(r.states)`,
  the_same_money: `
    select p.id, p.status, p.amount_captured, c.amount_captured as its_captured, p.amount_refunded,
      c.amount_refunded as its_refunded, c.voided
    from payments p
    join stripe_processor.charges c on c.account = p.environment_id and c.reference = p.authorization_id
    where p.open_operation_id is null and p.refund_pending = 0
      and (p.amount_captured <> c.amount_captured or p.amount_refunded <> c.amount_refunded
        or (p.status = 'VOIDED') <> c.voided)`,
};

/** Where the doubles' books, of all whose payments are in the database, and ours differ. */
export async function faultsOfDoubles(db: Database, doubles: readonly Double[]): Promise<unknown[]> {
  await writeBooks(db.sql, doubles);
  const faults: unknown[] = [];
  for (const [check, query] of Object.entries(CHECKS)) {
    const rows = await db.sql.unsafe(`${query} limit 5`);
    if (rows.length > 0) faults.push({ check, rows: Array.from(rows) });
  }
  return faults;
}
