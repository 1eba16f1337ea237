import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "@/db/client";
import type { AdyenDouble } from "./api";

const PAUSE_MS = 25;
const ANSWER_MS = 5_000;

/**
 * Adyen at work: decides what it has taken on, and posts each message until it is accepted, every fifth of them twice.
 * `stop` waits for what is under way.
 */
export function deliverWebhooks(double: AdyenDouble, address: () => string): { stop(): Promise<void> } {
  let stopped = false;
  let count = 0;
  const waiting = new Set<string>();
  async function post(body: string): Promise<void> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body, signal };
    // Whoever is to hear it is gone, as after a crash: it is sent again.
    const accepted = await fetch(address(), request).then(
      ({ ok }) => ok,
      () => false,
    );
    if (accepted) waiting.delete(body);
  }
  const working = (async () => {
    while (!stopped) {
      double.books.decide();
      for (const body of double.messages()) waiting.add(body);
      const some = [...waiting].slice(0, 16);
      await Promise.all([...some, ...some.filter(() => count++ % 5 === 0)].map(post));
      await wait(PAUSE_MS);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await working;
    },
  };
}

type Ours = { id: string; status: string; captured: number; refunded: number };

/** Payments with nothing under way whose money is not the double's, to the cent, and what only the double has. */
export async function faultsOfAdyen(db: Database, { books }: AdyenDouble): Promise<unknown[]> {
  const rows = await db.sql<Ours[]>`
    select authorization_id as id, status, amount_captured::int as captured, amount_refunded::int as refunded
    from payments where open_operation_id is null and refund_pending = 0`;
  const open = await db.sql<{ id: string }[]>`
    select authorization_id as id from payments where open_operation_id is not null or refund_pending > 0`;
  const ours = new Map(rows.map((row) => [row.id, row]));
  const undecided = new Set(open.map(({ id }) => id));
  const held = [...books.payments.values()].filter(({ state }) => state === "authorised");
  const differing = held.flatMap(({ reference, captured, refunded, voided }) => {
    const row = ours.get(reference);
    if (undecided.has(reference)) return [];
    const same = row?.captured === captured && row.refunded === refunded && (row.status === "VOIDED") === voided;
    return same ? [] : [{ reference, captured, refunded, voided, ours: row ?? null }];
  });
  const theirs = new Set(held.map(({ reference }) => reference));
  const missing = rows.filter(({ id, captured }) => captured > 0 && !theirs.has(id));
  return [...differing, ...missing];
}
