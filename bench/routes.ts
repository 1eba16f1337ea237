import type { Sql } from "@/db/client";
import { encodeId } from "@/lib/contract/ids";
import { createPaymentBody } from "@/lib/contract/payments/payment";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { createPayment } from "@/lib/domain/payments/create-payment";
import { refundPayment } from "@/lib/domain/payments/follow-up";
import { getTransaction, listTransactions, searchTransactions } from "@/lib/domain/transactions/read-transactions";
import { newId } from "@/lib/ids";
import { newIdempotency, type Recorder } from "./record";
import { type Script, scriptOf } from "./script";

/** One measurement: the same work, done by the service and by the floor. */
export type Route = {
  name: string;
  /** Text of the service's next request; null when there are no more. */
  service: () => string | null;
  /** The same for the floor: the script's name and its ids. */
  floor: () => string[] | null;
  /** The scripts that the floor needs for this route. */
  scripts: Record<string, Script>;
  /** Called before the measurement. */
  prepare?: () => Promise<void>;
  /** True if it is also compared with three plain inserts. */
  againstPlain?: boolean;
};

/** `apiKey` and `otherKeys` belong to the environment with the given id. */
export type RouteOptions = {
  sql: Sql;
  recorder: Recorder;
  apiKey: string;
  otherKeys: readonly string[];
  environmentId: string;
  now: Date;
};

const DAY_MS = 86_400_000;

const PAYMENT = {
  amount: 1999,
  currency: "USD",
  card: { number: "4242424242424242", exp_month: 12, exp_year: 2034, cvv: "123" },
  customer_id: "cus_bench",
  customer_email: "bench@example.com",
  billing_address: { line1: "1 Main Street", city: "Springfield", state: "IL", postal_code: "62701", country: "US" },
  description: "Order 1",
  metadata: { order_id: "1" },
};
const REPLAYED = 64;
const REFUND = { amount: 500, reason: "CUSTOMER_REQUEST" } as const;

export async function createRoutes(options: RouteOptions): Promise<Route[]> {
  const made = [getRoute, listRoute, searchRoute, replayRoute, createRoute, refundRoute];
  const routes: (Route | Route[])[] = [];
  for (const make of made) routes.push(await make(options));
  return routes.flat();
}

export function request(apiKey: string, method: string, path: string, body?: unknown, key?: string): string {
  const content = body === undefined ? "" : JSON.stringify(body);
  const headers = [
    `${method} ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `X-Api-Key: ${apiKey}`,
    ...(key ? [`X-Idempotency-Key: ${key}`] : []),
    ...(body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(content)}`]),
  ];
  return `${headers.join("\r\n")}\r\n\r\n${content}`;
}

/** A payment with its own key. */
export const createRequest = (apiKey: string) => request(apiKey, "POST", "/v1/payments", PAYMENT, newId());

export const floorRequest = (...path: string[]) => `GET /${path.join("/")} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;

/** Cycles through the values forever. */
function rotate<T>(values: readonly T[]): () => T {
  let index = 0;
  return () => values[index++ % values.length] as T;
}

async function getRoute({ sql, recorder, apiKey, environmentId }: RouteOptions): Promise<Route> {
  const rows = await sql<{ id: string }[]>`
    select id from transactions tablesample system (5) where environment_id = ${environmentId} limit 20000`;
  const [first] = rows;
  if (!first) throw new Error("there is nothing to get");
  const { statements } = await recorder.run((ctx) => getTransaction(ctx, { id: encodeId("transaction", first.id) }));
  const shuffled = rows.map(({ id }) => id).sort(() => Math.random() - 0.5);
  return {
    name: "get transaction",
    scripts: { get: scriptOf(statements, { given: [first.id] }) },
    service: rotate(shuffled.map((id) => request(apiKey, "GET", `/v1/transactions/${encodeId("transaction", id)}`))),
    floor: rotate(shuffled.map((id) => ["get", id])),
  };
}

async function listRoute({ recorder, apiKey, otherKeys, now }: RouteOptions): Promise<Route[]> {
  const queries = [
    {},
    { status: "SETTLED" },
    { card_brand: "amex" },
    { customer_id: "cus_0_7" },
    { created_after: new Date(now.getTime() - 7 * DAY_MS).toISOString() },
  ] as const;
  const scripts: Record<string, Script> = {};
  for (const [index, query] of queries.entries()) {
    const run = () => recorder.run((ctx) => listTransactions(ctx, query));
    await run();
    // The totals are cached from here on; in the service they are recomputed once every two seconds.
    scripts[`list${index}`] = scriptOf((await run()).statements);
  }
  const ask = (key: string) =>
    queries.map((query) => request(key, "GET", `/v1/transactions?${new URLSearchParams(query)}`));
  return byKeys("list", { apiKey, otherKeys, scripts, ask });
}

type Asked = Pick<RouteOptions, "apiKey" | "otherKeys"> &
  Pick<Route, "scripts"> & { ask: (key: string) => readonly string[] };

/** With one key, whose identical concurrent requests share a read, and with one key per connection. */
function byKeys(name: string, { apiKey, otherKeys, scripts, ask }: Asked): Route[] {
  const floor = rotate(Object.keys(scripts).map((script) => [script]));
  return [
    { name: `${name} transactions`, scripts, floor, service: rotate(ask(apiKey)) },
    { name: `${name}, ${otherKeys.length} keys`, scripts, floor, service: rotate(otherKeys.flatMap(ask)) },
  ];
}

async function searchRoute({ recorder, apiKey, otherKeys, now }: RouteOptions): Promise<Route[]> {
  const since = new Date(now.getTime() - 90 * DAY_MS).toISOString();
  const bodies = [
    { filters: { status: ["CAPTURED", "SETTLED"], created_at: { gte: since } } },
    { filters: { card_brand: ["visa"], amount: { gte: 5_000 } }, sort: { field: "amount" } },
    { filters: { customer_email: "customer7@shop0.example" } },
    { filters: { status: ["DECLINED"] }, sort: { field: "created_at", order: "asc" } },
  ];
  const scripts: Record<string, Script> = {};
  for (const [index, body] of bodies.entries()) {
    const parsed = searchTransactionsBody.parse(body);
    const run = () => recorder.run((ctx) => searchTransactions(ctx, parsed));
    await run();
    scripts[`search${index}`] = scriptOf((await run()).statements);
  }
  const ask = (key: string) => bodies.map((body) => request(key, "POST", "/v1/transactions/search", body));
  return byKeys("search", { apiKey, otherKeys, scripts, ask });
}

const recordedPayment = () => createPaymentBody.parse(PAYMENT);

async function createRoute({ recorder, apiKey }: RouteOptions): Promise<Route> {
  // The first run also prepares the statements; only their text is recorded.
  const { statements } = await recorder.run((ctx) => createPayment(ctx, recordedPayment()), {
    idempotency: newIdempotency(PAYMENT),
  });
  return {
    name: "create payment",
    scripts: { create: scriptOf(statements) },
    againstPlain: true,
    service: () => createRequest(apiKey),
    floor: () => ["create"],
  };
}

/** Replays many payments: requests with one key wait for each other, unlike those of shops that retry. */
async function replayRoute({ recorder, apiKey }: RouteOptions): Promise<Route> {
  const keys: string[] = [];
  for (let made = 0; made < REPLAYED; made++) {
    const idempotency = newIdempotency(PAYMENT);
    keys.push(idempotency.key);
    await recorder.run((ctx) => createPayment(ctx, recordedPayment()), { idempotency });
  }
  const [key = ""] = keys;
  const idempotency = { ...newIdempotency(PAYMENT), key };
  const { statements } = await recorder.run((ctx) => createPayment(ctx, recordedPayment()), { idempotency });
  // The service creates its own payments while it warms up, since it needs digests made with its own secret.
  const own = keys.map((key) => request(apiKey, "POST", "/v1/payments", PAYMENT, `the service's ${key}`));
  return {
    name: "replay of a payment",
    scripts: { replay: scriptOf(statements, { given: [key] }) },
    service: rotate(own),
    floor: rotate(keys.map((key) => ["replay", key])),
  };
}

/** Every refund is the first of its payment, to keep the work equal; the payments are those created before. */
async function refundRoute({ sql, recorder, apiKey, environmentId, now }: RouteOptions): Promise<Route> {
  const created = await recorder.run((ctx) => createPayment(ctx, recordedPayment()), {
    idempotency: newIdempotency(PAYMENT),
  });
  const { id } = JSON.parse(created.answer.body) as { id: string };
  const find = (since: string) => sql<{ id: string; charge_id: string; authorization_id: string; version: number }[]>`
    select id, charge_id, authorization_id, version from payments
    where environment_id = ${environmentId} and status = 'CAPTURED' and created_at >= ${since} and version = 2
    order by id desc`;
  const [payment] = await find(now.toISOString());
  if (!payment) throw new Error("the payment to refund was not found");
  const { statements } = await recorder.run((ctx) => refundPayment(ctx, { id, ...REFUND }), {
    idempotency: newIdempotency(REFUND),
  });
  let payments: { id: string; charge_id: string; authorization_id: string }[] = [];
  return {
    name: "refund payment",
    scripts: { refund: scriptOf(statements, { given: [payment.id, payment.charge_id, payment.authorization_id] }) },
    async prepare() {
      payments = [...(await find(now.toISOString()))];
    },
    service() {
      const next = payments.pop();
      return next
        ? request(apiKey, "POST", `/v1/payments/${encodeId("payment", next.id)}/refund`, REFUND, newId())
        : null;
    },
    floor() {
      const next = payments.pop();
      return next ? ["refund", next.id, next.charge_id, next.authorization_id] : null;
    },
  };
}
