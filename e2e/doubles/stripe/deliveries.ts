import { setTimeout as wait } from "node:timers/promises";
import Stripe from "stripe";
import { EVENTS } from "@/lib/processor/stripe/reports";
import type { Double } from "./double";

export const TEST_WEBHOOK_SECRET = "whsec_ofthedouble";

const signer = new Stripe("sk_test_signs_only");
const SUBSCRIBED: ReadonlySet<string> = new Set(EVENTS);

/** A signed message as sent to our URL. */
export function messageOf(
  event: Stripe.Event,
  { secret = TEST_WEBHOOK_SECRET, sentAt = new Date() }: { secret?: string; sentAt?: Date } = {},
): { headers: Headers; body: string } {
  const body = JSON.stringify(event);
  const timestamp = Math.floor(sentAt.getTime() / 1_000);
  const signature = signer.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
  return { headers: new Headers({ "Content-Type": "application/json", "Stripe-Signature": signature }), body };
}

/** Subscribed events about an account of ours, according to the metadata of their objects. */
export function eventsOf({ books }: Pick<Double, "books">, account: string): Stripe.Event[] {
  return books.events.filter((event) => SUBSCRIBED.has(event.type) && accountOf(books, event) === account);
}

function accountOf(books: Double["books"], event: Stripe.Event): string | undefined {
  const object = event.data.object as { id: string; payment_intent?: string; metadata?: Stripe.Metadata };
  if (event.type.startsWith("payment_method.")) return object.metadata?.cardlane_account;
  return books.intents.get(object.payment_intent ?? object.id)?.metadata.cardlane_account;
}

const PAUSE_MS = 25;
const ANSWER_MS = 5_000;

/**
 * Sends every event to `address` until it is accepted: out of order, some of them twice. `loses` selects
 * events that are never sent. `stop` waits for pending work.
 */
export function deliverEvents(
  double: Double,
  address: () => string,
  {
    secret = TEST_WEBHOOK_SECRET,
    loses = () => false,
  }: { secret?: string; loses?: (event: Stripe.Event) => boolean } = {},
): { stop(): Promise<void> } {
  const done = new Set<string>();
  let stopped = false;
  async function send(event: Stripe.Event): Promise<void> {
    const { headers, body } = messageOf(event, { secret });
    const signal = AbortSignal.timeout(ANSWER_MS);
    const arrived = await fetch(address(), { method: "POST", headers, body, signal }).then(
      ({ ok }) => ok,
      // Resend if the receiver is gone, for example after a crash.
      () => false,
    );
    if (arrived) done.add(event.id);
  }
  const working = (async () => {
    while (!stopped) {
      const due = double.books.events.filter(({ id, type }) => SUBSCRIBED.has(type) && !done.has(id));
      const batch = due.toSorted((one, other) => (one.id < other.id ? -1 : 1)).slice(0, 20);
      for (const event of batch.filter(loses)) done.add(event.id);
      await Promise.all([...batch, ...batch.slice(0, 2)].filter(({ id }) => !done.has(id)).map(send));
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
