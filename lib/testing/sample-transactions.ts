import type { Database } from "@/db/client";
import type { DeclineCode } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import { idAt, newId } from "@/lib/ids";

export const START = Date.parse("2026-03-01T00:00:00.000Z");

export type SampleTransaction = {
  id: string;
  status: "SETTLED" | "DECLINED" | "VOIDED" | "FAILED";
  amount: number;
  card_brand: "visa" | "mastercard" | "amex" | "discover" | null;
  card_last4: string;
  customer_id: string | null;
  customer_email: string | null;
  subscription_id: string | null;
  plan_id: string | null;
  currency: "USD" | "EUR";
  decline_code: DeclineCode | null;
  time: number;
  captured: number | null;
};

export const SUBSCRIPTIONS = [newId(), newId()];
export const PLAN = newId();
const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;

/** Few values of everything, so that ties and combinations abound; three transactions share each millisecond. */
export const SAMPLE: readonly SampleTransaction[] = Array.from({ length: 240 }, (_, i) => {
  const time = START + Math.floor(i / 3);
  const status = pick(["SETTLED", "DECLINED", "VOIDED", "FAILED"] as const, (i * 7) >> 2);
  return {
    id: idAt(new Date(time)),
    status,
    amount: 100 + ((i * 37) % 11) * 50,
    card_brand: pick(["visa", "mastercard", "amex", "discover", null] as const, (i * 13) >> 1),
    card_last4: pick(["4242", "0005", "1117"], i),
    customer_id: pick(["anna", "bob", null], (i * 5) >> 1),
    customer_email: pick(["Anna@Example.com", "bob@example.com", null], (i * 5) >> 1),
    subscription_id: pick([SUBSCRIPTIONS[0] as string, SUBSCRIPTIONS[1] as string, null, null], i),
    plan_id: pick([PLAN, null, null], i >> 2),
    currency: pick(["USD", "EUR", "USD"] as const, i >> 3),
    decline_code: status === "DECLINED" ? pick(["insufficient_funds", "lost_card"] as const, i >> 1) : null,
    time,
    captured: status === "SETTLED" ? time + (i % 5) * 10 : null,
  };
});

/** Writes the transaction and its payment. */
export async function insertSample(db: Database, environmentId: string, row: SampleTransaction): Promise<void> {
  const created_at = new Date(row.time).toISOString();
  const captured = row.status === "SETTLED" ? row.amount : 0;
  const payment_id = idAt(new Date(row.time));
  await db.sql`insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount,
      amount_captured, capture_method, created_at, updated_at)
    values (${environmentId}, ${payment_id}, ${row.id}, ${row.id}, ${row.status}, ${row.currency}, ${row.amount}, ${captured},
      'automatic', ${created_at}, ${created_at})`;
  await db.sql`insert into transactions (environment_id, id, payment_id, type, status, amount, currency, card_brand, card_last4,
      customer_id, customer_email, subscription_id, plan_id, decline_code, captured_at, metadata, created_at, updated_at)
    values (${environmentId}, ${row.id}, ${payment_id}, 'CHARGE', ${row.status}, ${row.amount}, ${row.currency}, ${row.card_brand},
      ${row.card_last4}, ${row.customer_id}, ${row.customer_email}, ${row.subscription_id}, ${row.plan_id},
      ${row.decline_code}, ${row.captured && new Date(row.captured).toISOString()}, '{}', ${created_at}, ${created_at})`;
}

const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);

/** Public ids of what a list must answer, found in the simplest way: filter all, sort all. */
export function expectedIds(
  matches: (row: SampleTransaction) => boolean,
  field: "created_at" | "amount" | "status" = "created_at",
  order: "asc" | "desc" = "desc",
): string[] {
  const key = (row: SampleTransaction) => (field === "created_at" ? row.time : row[field]);
  const sign = order === "asc" ? 1 : -1;
  return SAMPLE.filter(matches)
    .toSorted((a, b) => sign * (compare(key(a), key(b)) || compare(a.id, b.id)))
    .map((row) => encodeId("transaction", row.id));
}
