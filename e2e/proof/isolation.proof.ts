import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { testDatabase } from "../fixtures/database";
import { cloneLatestRow, type Fresh, insertManyTransactions } from "../fixtures/many-rows";
import { Client, type MoneyRequest, paymentBody } from "./client";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { createTenant, type ProofTenant } from "./tenant";

const ROWS = Number(process.env.PROOF_ROWS ?? 1_000_000);
/** Concurrent loops of one merchant, and the time spent on each endpoint. */
const LOOPS = 3;
const LOOP_MS = 1_000;
/** Pause between rounds of probes, to stay below the key's own rate limit on any machine. */
const PAUSE_MS = 100;
/** Medians below this are noise of a busy machine; with a pool of one connection they were seconds. */
const FLOOR_MS = 50;

const { db, url } = await testDatabase();
/** Production limits: these keep one merchant from using up the whole process. */
const LIMITS = { RATE_LIMIT_PER_SECOND: "100", RATE_LIMIT_BURST: "200", WEBHOOK_ALLOW_LOCAL: "true" };

let host: ProofHost;
let busy: ProofTenant;
let busyClient: Client;
let other: Client;
let endpointId: string;

const SINCE = new Date(Date.now() - 80 * 86_400_000).toISOString();

/** Very large tables, cloned from one row each. Rows go back 70 days at most, the log's 27. */
const everyMs = (days: number) => (days * 86_400_000) / ROWS;
const TABLES: [string, Fresh, number][] = [
  ["events", { object_id: "made.id", data: "'{}'::jsonb" }, everyMs(70)],
  ["webhook_deliveries", { event_id: "made.id", status: "'DELIVERED'" }, everyMs(70)],
  ["request_log", { object_id: "made.id" }, everyMs(27)],
  ["client_sessions", { token_sha256: "'\\\\x' || md5(made.i::text) || md5($1::text)" }, everyMs(70)],
  ["payment_methods", { processor_token: "'t' || made.i" }, everyMs(70)],
  ["subscriptions", {}, everyMs(70)],
  ["invoices", { number: "made.i + 1", cycle: "made.i + 1" }, everyMs(70)],
  ["customers", { customer_id: "'c' || made.i", last_payment_at: "made.at" }, everyMs(70)],
];

/** A filter for each list that matches nothing, or an offset that skips everything. */
const NOTHING: Readonly<Record<string, readonly string[]>> = {
  listPayments: ["status=FAILED", "customer_id=nobody"],
  listTransactions: [
    "min_amount=99999999",
    "currency=JPY&status=SETTLED",
    "card_brand=visa&status=SETTLED&type=REFUND",
    "q=nothing",
    `offset=${ROWS - 1}`,
  ],
  searchTransactions: [],
  listEvents: ["type=refund.failed", "type=refund.failed&created_after=2026-01-01", `offset=${ROWS - 1}`],
  listWebhookDeliveries: ["status=FAILED", "event_type=refund.failed", `offset=${ROWS - 1}`],
  listCustomers: ["q=nobody", `offset=${ROWS - 1}`],
  listPaymentMethods: ["customer_id=nobody", "status=EXPIRED"],
  listSubscriptions: ["status=PAUSED", "customer_id=nobody"],
  listInvoices: ["status=UNCOLLECTIBLE", "customer_id=nobody"],
  listDisputes: ["status=WON", "customer_id=nobody"],
  listPlans: ["status=DRAFT"],
  listWebhookEndpoints: ["offset=1000"],
  listMovements: ["type=adjustment", "currency=XAF"],
  listPayouts: ["status=FAILED"],
  listSettlementBatches: ["offset=1000"],
  listReports: ["offset=1000"],
};

type Read = { name: string; send: (client: Client) => Promise<{ status: number }> };

const reading = (path: string) => (client: Client) => client.send(path, { headers: { "X-Api-Key": client.apiKey } });
const posting = (path: string, body: object) => (client: Client) => client.post(request(path, body));
const request = (path: string, body: object): MoneyRequest => ({ key: randomUUID(), path, body });

function reads(): Read[] {
  const lists = ENDPOINTS.filter(({ list }) => list).flatMap(({ name, path }) => {
    const filters = NOTHING[name];
    if (!filters) throw new Error(`${name} needs a filter that matches nothing`);
    const own = path.replace("{id}", endpointId);
    return filters.map((filter) => ({ name: `${name}?${filter}`, send: reading(`${own}?${filter}`) }));
  });
  const search = { filters: { currency: ["JPY"], card_brand: ["visa"] }, sort: { field: "amount", order: "asc" } };
  const replay = { since: SINCE, types: ["refund.failed"] };
  return [
    ...lists,
    { name: "searchTransactions", send: posting("/v1/transactions/search", search) },
    { name: "replayWebhookEndpoint", send: posting(`/v1/webhook-endpoints/${endpointId}/replay`, replay) },
  ];
}

const PROBES: Read[] = [
  { name: "list", send: reading("/v1/payments?limit=1") },
  { name: "events", send: reading("/v1/events?limit=1") },
  { name: "plans", send: reading("/v1/subscription-plans?limit=1") },
  { name: "hooks", send: reading("/v1/webhook-endpoints?limit=1") },
  { name: "session", send: posting("/v1/client-sessions", { amount: 100, currency: "USD" }) },
  { name: "pay", send: (client) => client.post(request("/v1/payments", paymentBody())) },
];

type Taken = { ms: number; status: number };

async function timed({ send }: Read, client: Client): Promise<Taken> {
  const startedMs = performance.now();
  const { status } = await send(client);
  return { ms: performance.now() - startedMs, status };
}

const medianOf = (taken: readonly Taken[]) =>
  taken.map(({ ms }) => ms).toSorted((a, b) => a - b)[taken.length >> 1] ?? 0;

async function subscribe(): Promise<void> {
  const made = async (path: string, body: object) => {
    const { status, text } = await busyClient.post(request(path, body));
    expect(status, text).toBe(201);
    return (JSON.parse(text) as { id: string }).id;
  };
  const every = { billing_frequency_value: 1, billing_frequency_unit: "MONTHS" };
  const terms = { type: "SUBSCRIPTION_NO_TRIAL", name: "Club", currency: "USD", full_price_amount: 5, ...every };
  const plan_id = await made("/v1/subscription-plans", { ...terms, status: "ACTIVE" });
  const { card } = paymentBody();
  const customer = { customer_id: "first" };
  const payment_method_id = await made("/v1/payment-methods", { ...customer, card });
  await made("/v1/subscriptions", { ...customer, plan_id, payment_method_id });
}

beforeAll(async () => {
  busy = await createTenant(db);
  const [first, second] = [busy, await createTenant(db)];
  host = await startHost({ databaseUrl: url, env: LIMITS });
  busyClient = new Client(first.apiKey, () => host.baseUrl);
  other = new Client(second.apiKey, () => host.baseUrl);
  const made = await busyClient.post(request("/v1/webhook-endpoints", { url: "http://127.0.0.1:9/nobody" }));
  endpointId = (JSON.parse(made.text) as { id: string }).id;
  await busyClient.post(request("/v1/client-sessions", { amount: 100, currency: "USD" }));
  await busyClient.until(request("/v1/payments", { ...paymentBody(), customer_id: "first" }));
  await subscribe();
  for (const [table, fresh, apartMs] of TABLES) {
    const hasRow = async () =>
      expect(
        await db.sql`select from ${db.sql(table)} where environment_id = ${first.environmentId} limit 1`,
      ).toHaveLength(1);
    await vi.waitFor(hasRow, { timeout: 30_000, interval: 100 });
    await cloneLatestRow(db, table, first.environmentId, { count: ROWS, fresh, everyMs: apartMs });
  }
  await insertManyTransactions(db, first.environmentId, ROWS);
  await db.long`analyze`;
}, 900_000);
afterAll(() => host?.stop());

test(`no endpoint slows another merchant by a query without matches among ${ROWS} rows`, async () => {
  const before = await measure(null);
  let slowest = { name: "", ms: 0 };
  for (const read of reads()) {
    const { probes, loops } = await measure(read);
    const refused = Object.values(probes).flatMap((taken) => taken.filter(({ status }) => status >= 400));
    expect(refused, `${read.name} refuses another merchant`).toEqual([]);
    expect(new Set(loops.map(({ status }) => status)), read.name).not.toContain(503);
    for (const [name, taken] of Object.entries(probes)) {
      const max = 2 * Math.max(FLOOR_MS, medianOf(before.probes[name] ?? []));
      expect(medianOf(taken), `${name} during ${read.name}`).toBeLessThan(max);
    }
    const ms = medianOf(loops);
    if (ms > slowest.ms) slowest = { name: read.name, ms };
  }
  reportFigure(`${reads().length} filters`, `slowest: ${slowest.name} in ${Math.round(slowest.ms)} ms`);
});

/** Times the other merchant's requests while one read is repeated without a pause. */
async function measure(read: Read | null): Promise<{ probes: Record<string, Taken[]>; loops: Taken[] }> {
  const probes: Record<string, Taken[]> = Object.fromEntries(PROBES.map(({ name }) => [name, []]));
  const loops: Taken[] = [];
  const until = performance.now() + LOOP_MS;
  const isOver = () => performance.now() > until;
  const loop = async () => {
    while (read && !isOver()) loops.push(await timed(read, busyClient));
  };
  const probe = async () => {
    for (let round = 0; round < 5 || !isOver(); round++) {
      for (const one of PROBES) probes[one.name]?.push(await timed(one, other));
      await wait(PAUSE_MS);
    }
  };
  await Promise.all([probe(), ...Array.from({ length: LOOPS }, loop)]);
  return { probes, loops };
}
