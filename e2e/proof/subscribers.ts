import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { addMonths as addMonthsToDay } from "@/lib/contract/reporting/period";
import type { TestClock } from "@/lib/contract/test-clock/endpoints";
import { CARDS, type Client, inParallel } from "./client";

/** Requests that create subscribers at the same time. */
const LANES = 8;
const POLL_MS = 200;

/** Creates an object through the API and returns its id. */
async function make(client: Client, path: string, body: object): Promise<string> {
  const answer = await client.until({ key: randomUUID(), path, body });
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
  return (JSON.parse(answer.text) as { id: string }).id;
}

let plans = 0;

/** Creates a monthly plan and returns its id. */
export const makeMonthlyPlan = (client: Client): Promise<string> =>
  make(client, "/v1/subscription-plans", {
    type: "SUBSCRIPTION_NO_TRIAL",
    name: `Monthly ${++plans}`,
    currency: "USD",
    full_price_amount: 21.9,
    status: "ACTIVE",
    billing_frequency_value: 1,
    billing_frequency_unit: "MONTHS",
  });

/** Creates a customer with a card, who subscribes to the plan, and returns the subscription's id. */
async function subscribe(client: Client, plan_id: string, customer_id: string, terms: object): Promise<string> {
  const card = { number: CARDS.good, exp_month: 12, exp_year: 2049, cvv: "123" };
  const payment_method_id = await make(client, "/v1/payment-methods", { customer_id, card });
  return make(client, "/v1/subscriptions", { plan_id, customer_id, payment_method_id, ...terms });
}

/** Creates subscribers of a plan whose first period begins now. */
export const subscribeNow = (client: Client, planId: string, count: number): Promise<string[]> =>
  inParallel(Array.from({ length: count }), LANES, (_, i) => subscribe(client, planId, `customer${i}`, {}));

/**
 * Creates subscribers who are first charged at the same time, each of a plan of its own: a card gets one
 * trial of each.
 */
export const subscribeFrom = (client: Client, at: string, count: number): Promise<string[]> =>
  inParallel(Array.from({ length: count }), LANES, async (_, i) =>
    subscribe(client, await makeMonthlyPlan(client), `customer${i}`, { trial_end_at: at }),
  );

/** The time some calendar months later, in UTC: on the last day of a shorter month, as renewals are. */
export const addMonths = (at: string, months: number): string =>
  `${addMonthsToDay(at.slice(0, 10), months)}${at.slice(10)}`;

export const readClock = (client: Client): Promise<TestClock> => client.get<TestClock>("/v1/test-clock");

/** Starts to advance the clock. */
export async function startAdvance(client: Client, to: string): Promise<void> {
  const answer = await client.until({ key: randomUUID(), path: "/v1/test-clock/advance", body: { to } });
  // A repeat of a request whose response was lost finds the clock advancing.
  if (answer.status === 202 || answer.code === "clock_advancing") return;
  throw new Error(`the clock did not start: ${answer.status} ${answer.text}`);
}

/** Waits until the clock is READY again. */
export async function untilReady(client: Client, timeoutMs: number): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; ; ) {
    // A host that was just killed doesn't respond.
    const clock = await readClock(client).catch(() => null);
    if (clock?.status === "READY") return;
    if (clock?.status === "FAILED") throw new Error(`the clock failed: ${clock.failure_reason}`);
    if (Date.now() > deadline) throw new Error(`the clock still advances after ${timeoutMs} ms: ${clock?.now}`);
    await wait(POLL_MS);
  }
}
