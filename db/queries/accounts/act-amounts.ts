import type { Sql } from "@/db/client";

/** An act on a payment (UUIDs), and the request by which it was done. */
type PaymentAct = { id: string; payment_id: string; request_id: string };

type ActAmount = { id: string; amount: number; currency: string };

/** Amounts, in minor units, of the operations that acts on payments began. Index: `operations_payment`. */
export async function listActAmounts(
  sql: Sql,
  environmentId: string,
  acts: readonly PaymentAct[],
): Promise<ActAmount[]> {
  if (acts.length === 0) return [];
  return await sql<ActAmount[]>`
    select a.id, o.amount, o.currency
    from unnest(${acts.map(({ id }) => id)}::uuid[], ${acts.map(({ payment_id }) => payment_id)}::uuid[],
      ${acts.map(({ request_id }) => request_id)}::uuid[]) as a (id, payment_id, request_id)
    cross join lateral (
      select amount, currency from operations
      where environment_id = ${environmentId}::uuid and payment_id = a.payment_id and request_id = a.request_id limit 1
    ) o`;
}
