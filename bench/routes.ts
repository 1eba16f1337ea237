import type { Sql } from "@/db/client";
import type { Double } from "@/e2e/doubles/stripe/double";
import { testPaymentToken } from "@/e2e/fixtures/factories";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { cardInput, createPaymentBody } from "@/lib/contract/payments/payment";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import type { Context, Environment, Service } from "@/lib/domain/context";
import { createPayment } from "@/lib/domain/payments/create-payment";
import { refundPayment } from "@/lib/domain/payments/follow-up";
import { connectProcessor } from "@/lib/domain/processors/connections";
import { getTransaction, listTransactions, searchTransactions } from "@/lib/domain/transactions/read-transactions";
import { newId } from "@/lib/ids";
import { createConnections } from "@/lib/processor/connections";
import { STRIPE } from "@/lib/processor/stripe/connector";
import { newIdempotency, type Recorder } from "./record";
import { type Script, scriptOf } from "./script";

/** `index` is the one that the seed used in names. */
export type Merchant = { readonly index: number; readonly environment: Environment; readonly apiKey: string };

/**
 * Requests of one merchant, for the service and for the floor: the next one, or null when there are no more.
 */
type Requests = {
  /** The text of an HTTP request. */
  service: () => string | null;
  /** The script's name and its ids. */
  floor: () => string[] | null;
};

/** One row of the bench. */
export type Route = {
  name: string;
  /** Min rate relative to the floor. */
  wanted: number;
  /** The scripts that the floor needs. */
  scripts: Record<string, Script>;
  /** By merchant, in their order. */
  requests: readonly Requests[];
  /** Called before the measurement. */
  prepare?: () => Promise<void>;
};

type RouteOptions = { sql: Sql; recorder: Recorder; merchants: readonly Merchant[]; now: Date };

const DAY_MS = 86_400_000;
const CARD = { number: "4242424242424242", exp_month: 12, exp_year: 2034, cvv: "123" };
const ORDER = {
  amount: 1999,
  currency: "USD",
  customer_id: "cus_bench",
  customer_email: "bench@example.com",
  billing_address: { line1: "1 Main Street", city: "Springfield", state: "IL", postal_code: "62701", country: "US" },
  description: "Order 1",
  metadata: { order_id: "1" },
};
const BY_CARD = { ...ORDER, card: CARD };
const BY_STRIPE = { ...ORDER, payment_token: "pm_card_visa" };
const REFUND = { amount: 500, reason: "CUSTOMER_REQUEST" } as const;
/**
 * Replayed payments of the first merchant, and of each other one: requests with the same key wait for each
 * other.
 */
const REPLAYED = { first: 64, other: 4 };

function request(apiKey: string, method: string, path: string, body?: unknown, key?: string): string {
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
export const createRequest = (apiKey: string, body: object = BY_CARD) =>
  request(apiKey, "POST", "/v1/payments", body, newId());

/** Cycles through the values forever. */
export function rotate<T>(values: readonly T[]): () => T {
  let index = 0;
  return () => values[index++ % values.length] as T;
}

const pay = (body: object) => (ctx: Context) => createPayment(ctx, createPaymentBody.parse(body));

export async function getRoute({ sql, recorder, merchants }: RouteOptions): Promise<Route> {
  const scripts: Record<string, Script> = {};
  const requests: Requests[] = [];
  for (const { index, environment, apiKey } of merchants) {
    const rows = await sql<{ id: string }[]>`
      select id from transactions where environment_id = ${environment.id} order by random() limit 5000`;
    const ids = rows.map(({ id }) => id);
    const [first = ""] = ids;
    const { statements } = await recorder.run(environment, (ctx) =>
      getTransaction(ctx, { id: encodeId("transaction", first) }),
    );
    scripts[`get${index}`] = scriptOf(environment.id, statements, { given: [first] });
    requests.push({
      service: rotate(ids.map((id) => request(apiKey, "GET", `/v1/transactions/${encodeId("transaction", id)}`))),
      floor: rotate(ids.map((id) => [`get${index}`, id])),
    });
  }
  return { name: "get transaction", wanted: 0.9, scripts, requests };
}

export function listRoute(options: RouteOptions): Promise<Route> {
  const week = new Date(options.now.getTime() - 7 * DAY_MS).toISOString();
  return readRoute(options, { name: "list transactions", wanted: 0.8 }, ({ index, apiKey }) =>
    [{}, { status: "SETTLED" }, { card_brand: "amex" }, { customer_id: `cus_${index}_7` }, { created_after: week }].map(
      (query) => ({
        text: request(apiKey, "GET", `/v1/transactions?${new URLSearchParams(query as Record<string, string>)}`),
        read: (ctx: Context) => listTransactions(ctx, query as Parameters<typeof listTransactions>[1]),
      }),
    ),
  );
}

export function searchRoute(options: RouteOptions): Promise<Route> {
  const since = new Date(options.now.getTime() - 90 * DAY_MS).toISOString();
  return readRoute(options, { name: "search transactions", wanted: 0.8 }, ({ index, apiKey }) =>
    [
      { filters: { status: ["CAPTURED", "SETTLED"], created_at: { gte: since } } },
      { filters: { card_brand: ["visa"], amount: { gte: 5_000 } }, sort: { field: "amount" } },
      { filters: { customer_email: `customer7@shop${index}.example` } },
      { filters: { status: ["DECLINED"] }, sort: { field: "created_at", order: "asc" } },
    ].map((body) => ({
      text: request(apiKey, "POST", "/v1/transactions/search", body),
      read: (ctx: Context) => searchTransactions(ctx, searchTransactionsBody.parse(body)),
    })),
  );
}

type Read = { text: string; read: (ctx: Context) => Promise<unknown> };

async function readRoute(
  { recorder, merchants }: RouteOptions,
  { name, wanted }: Pick<Route, "name" | "wanted">,
  readsOf: (merchant: Merchant) => Read[],
): Promise<Route> {
  const scripts: Record<string, Script> = {};
  const requests: Requests[] = [];
  for (const merchant of merchants) {
    const { index, environment } = merchant;
    const names: string[] = [];
    const reads = readsOf(merchant);
    for (const [at, { read }] of reads.entries()) {
      const script = `${name.slice(0, 4)}${at} ${index}`;
      // The totals are cached from the first run on; in the service they are counted again every two seconds.
      await recorder.run(environment, read);
      scripts[script] = scriptOf(environment.id, (await recorder.run(environment, read)).statements);
      names.push(script);
    }
    requests.push({ service: rotate(reads.map(({ text }) => text)), floor: rotate(names.map((script) => [script])) });
  }
  return { name, wanted, scripts, requests };
}

export async function replayRoute({ recorder, merchants }: RouteOptions): Promise<Route> {
  const scripts: Record<string, Script> = {};
  const requests: Requests[] = [];
  for (const [at, { index, environment, apiKey }] of merchants.entries()) {
    const length = at === 0 ? REPLAYED.first : REPLAYED.other;
    const used = Array.from({ length }, () => newIdempotency(BY_CARD));
    for (const idempotency of used) await recorder.run(environment, pay(BY_CARD), { idempotency });
    const keys = used.map(({ key }) => key);
    const [idempotency] = used as [(typeof used)[number]];
    const { statements } = await recorder.run(environment, pay(BY_CARD), { idempotency });
    scripts[`replay${index}`] = scriptOf(environment.id, statements, { given: [idempotency.key] });
    requests.push({
      // The service makes its own payments while it warms up, since digests depend on the path and the body.
      service: rotate(keys.map((key) => request(apiKey, "POST", "/v1/payments", BY_CARD, `replayed ${key}`))),
      floor: rotate(keys.map((key) => [`replay${index}`, key])),
    });
  }
  return { name: "replay of a payment", wanted: 0.8, scripts, requests };
}

export async function createRoute({ recorder, merchants }: RouteOptions): Promise<Route> {
  const scripts: Record<string, Script> = {};
  for (const { index, environment } of merchants) {
    const { statements } = await recorder.run(environment, pay(BY_CARD), { idempotency: newIdempotency(BY_CARD) });
    scripts[`card${index}`] = scriptOf(environment.id, statements);
  }
  const requests = merchants.map(({ index, apiKey }) => ({
    service: () => createRequest(apiKey),
    floor: () => [`card${index}`],
  }));
  return { name: "create by card", wanted: 0.75, scripts, requests };
}

/** `tokens`: max number used by the first merchant, and by each other one. */
export async function tokenRoute(
  { sql, recorder, merchants }: RouteOptions,
  tokens: { first: number; other: number },
): Promise<Route> {
  const scripts: Record<string, Script> = {};
  const held = new Map<Merchant, FormToken[]>();
  const make = async (merchant: Merchant, count: number) =>
    held.set(merchant, await createFormTokens({ sql, recorder }, merchant.environment, count));
  for (const merchant of merchants) {
    const { index, environment } = merchant;
    await make(merchant, 1);
    const [{ id, session }] = held.get(merchant) as [FormToken];
    const body = { ...ORDER, payment_token: encodeId("paymentToken", id) };
    const { statements } = await recorder.run(environment, pay(body), { idempotency: newIdempotency(body) });
    scripts[`token${index}`] = scriptOf(environment.id, statements, { given: [id, session] });
  }
  const next = (merchant: Merchant) => held.get(merchant)?.pop() ?? null;
  const requests = merchants.map((merchant) => ({
    service() {
      const token = next(merchant);
      if (!token) return null;
      return createRequest(merchant.apiKey, { ...ORDER, payment_token: encodeId("paymentToken", token.id) });
    },
    floor() {
      const token = next(merchant);
      return token && [`token${merchant.index}`, token.id, token.session];
    },
  }));
  const prepare = async () => {
    for (const [at, merchant] of merchants.entries()) await make(merchant, at === 0 ? tokens.first : tokens.other);
  };
  return { name: "create by form token", wanted: 0.75, scripts, requests, prepare };
}

type FormToken = { id: string; session: string };

/**
 * Copies of one real token, each with its own open session, as if many shoppers had just typed their cards.
 */
async function createFormTokens(
  { sql, recorder }: Pick<RouteOptions, "sql" | "recorder">,
  environment: Environment,
  count: number,
): Promise<FormToken[]> {
  await recorder.run(environment, (ctx) => testPaymentToken(ctx, { card: cardInput.parse(CARD) }));
  const tokens = Array.from({ length: count }, () => ({ id: newId(), session: newId() }));
  const [ids, sessions] = [tokens.map(({ id }) => id), tokens.map(({ session }) => session)];
  await sql`
    insert into client_sessions (environment_id, id, token_sha256, status, amount, currency, capture_method,
      allowed_origins, metadata, expires_at, created_at, updated_at)
    select ${environment.id}, id, sha256(id::text::bytea), 'OPEN', ${ORDER.amount}, ${ORDER.currency}, 'automatic', '{}', '{}',
      now() + interval '1 day', uuid_extract_timestamp(id), uuid_extract_timestamp(id)
    from unnest(${sessions}::uuid[]) as id`;
  await sql`
    insert into payment_tokens (environment_id, id, processor_token, card_brand, card_last4, card_bin, card_exp_month,
      card_exp_year, client_session_id, expires_at, created_at)
    select environment_id, new.id, processor_token, card_brand, card_last4, card_bin, card_exp_month, card_exp_year,
      session, now() + interval '1 hour', uuid_extract_timestamp(new.id)
    from unnest(${ids}::uuid[], ${sessions}::uuid[]) as new (id, session), (
      select * from payment_tokens
      where environment_id = ${environment.id} and client_session_id is null and processor_token <> ''
      limit 1) as real`;
  return tokens;
}

/**
 * Every refund is the first of its payment, to keep the work equal; the payments are those created before.
 */
export async function refundRoute({ sql, recorder, merchants, now }: RouteOptions): Promise<Route> {
  type Payment = { id: string; charge_id: string; authorization_id: string };
  const find = ({ environment }: Merchant) => sql<Payment[]>`
    select id, charge_id, authorization_id from payments
    where environment_id = ${environment.id} and status = 'CAPTURED' and created_at >= ${now.toISOString()} and version = 2
    order by id desc`;
  const scripts: Record<string, Script> = {};
  const payments = new Map<Merchant, Payment[]>();
  for (const merchant of merchants) {
    const { environment, index } = merchant;
    await recorder.run(environment, pay(BY_CARD), { idempotency: newIdempotency(BY_CARD) });
    const [payment] = (await find(merchant)) as unknown as [Payment];
    const { statements } = await recorder.run(
      environment,
      (ctx) => refundPayment(ctx, { id: encodeId("payment", payment.id), ...REFUND }),
      { idempotency: newIdempotency(REFUND) },
    );
    const given = [payment.id, payment.charge_id, payment.authorization_id];
    scripts[`refund${index}`] = scriptOf(environment.id, statements, { given });
  }
  const next = (merchant: Merchant) => payments.get(merchant)?.pop() ?? null;
  const requests = merchants.map((merchant) => ({
    service() {
      const payment = next(merchant);
      const path = payment && `/v1/payments/${encodeId("payment", payment.id)}/refund`;
      return path && request(merchant.apiKey, "POST", path, REFUND, newId());
    },
    floor() {
      const payment = next(merchant);
      return payment && [`refund${merchant.index}`, payment.id, payment.charge_id, payment.authorization_id];
    },
  }));
  const prepare = async () => {
    for (const merchant of merchants) payments.set(merchant, [...(await find(merchant))]);
  };
  return { name: "refund", wanted: 0.75, scripts, requests, prepare };
}

/** Payments by a token of Stripe's own script, through each merchant's own connection. */
export async function stripeRoute(recorder: Recorder, double: Double, merchants: readonly Merchant[]): Promise<Route> {
  const service = withStripe(recorder.service, double);
  const scripts: Record<string, Script> = {};
  for (const { environment, index } of merchants) {
    const credentials = { secret_key: double.secretKey };
    const { answer } = await recorder.run(
      environment,
      (ctx) => connectProcessor(ctx, { processor: "stripe", label: "Stripe", credentials }),
      { service },
    );
    const record = () => recorder.run(environment, pay(BY_STRIPE), { service, idempotency: newIdempotency(BY_STRIPE) });
    // The first payment also reads the connection, which is then cached.
    await record();
    const keep = [decodeId("connection", answer.id) ?? ""];
    scripts[`stripe${index}`] = scriptOf(environment.id, (await record()).statements, { keep });
  }
  const requests = merchants.map(({ index, apiKey }) => ({
    service: () => createRequest(apiKey, BY_STRIPE),
    floor: () => [`stripe${index}`],
  }));
  return { name: "create at Stripe", wanted: 0.75, scripts, requests };
}

/** The same service, in which merchants connect the double instead of Stripe. */
function withStripe(service: Service, { endpoint }: Double): Service {
  const connectors = [
    { ...STRIPE, create: (options: Parameters<typeof STRIPE.create>[0]) => STRIPE.create({ ...options, endpoint }) },
  ];
  const { clock, timer, db, secret, log, processorTimeoutMs: timeoutMs } = service;
  const sandbox = service.processors.builtIn("test");
  if (!sandbox) throw new Error("the recorder has a sandbox");
  const processors = createConnections({
    builtIn: { sandbox },
    connectors,
    operator: null,
    pciDssCompliant: false,
    clock,
    timer,
    db,
    secret,
    log,
    timeoutMs,
  });
  return { ...service, connectors, processors };
}
