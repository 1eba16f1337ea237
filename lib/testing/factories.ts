import type { Database } from "@/db/client";
import { environments, merchants } from "@/db/schema/accounts";
import type { RequestLogRow } from "@/db/schema/request-log";
import { type Clock, systemClock, systemTimer } from "@/lib/clock";
import type { CardInput } from "@/lib/contract/payments/payment";
import type { Mode } from "@/lib/contract/transactions/words";
import { createPaymentToken } from "@/lib/domain/checkout/payment-tokens";
import type { Context, Environment, IdempotencyRequest, Service } from "@/lib/domain/context";
import { tokenizeCard } from "@/lib/domain/payments/make-payment";
import { answerRenderer } from "@/lib/http/answer";
import { idTime, newId } from "@/lib/ids";
import { createLogger } from "@/lib/log";
import { createRegistry } from "@/lib/processor/registry";
import { createSandboxProcessor } from "@/lib/processor/sandbox";
import { createSecret } from "@/lib/secret";
import { createSender } from "@/lib/webhooks/sender";
import { openWall } from "@/lib/webhooks/wall";

/** The service's own access to a test's database, in the roles it has. */
export const databaseOfService = new WeakMap<Database, Database>();

const BASE_URL = "http://cardlane.test";
/** CARDLANE_SECRET of every service that tests start, so that they can make payment tokens for it. */
export const TEST_SECRET = "a secret that only the tests know, 32 and more characters";

/** METRICS_TOKEN of those services that have /metrics. */
export const TEST_METRICS_TOKEN = "only-prometheus-and-the-tests-know";

/** A service without HTTP, on the sandbox processor; `overrides` replace its clock, processors and so on. */
export function testService(db: Database, overrides: Partial<Service> = {}): Service {
  const secret = overrides.secret ?? createSecret(TEST_SECRET);
  const clock: Clock = overrides.clock ?? systemClock;
  return {
    db: databaseOfService.get(db) ?? db,
    connectors: [],
    processors: createRegistry({
      sandbox: createSandboxProcessor({ sql: db.sql, secret, clock }),
    }),
    clock,
    timer: systemTimer,
    renderAnswer: answerRenderer(BASE_URL),
    secret,
    webhooks: createSender(openWall()),
    log: createLogger({ level: "silent" }),
    baseUrl: BASE_URL,
    processorTimeoutMs: 8_000,
    ...overrides,
  };
}

export type TestMerchant = { readonly id: string; readonly test: Environment; readonly live: Environment };

/** A merchant that no other test knows, with both environments. */
export async function createTestMerchant(db: Database, name = "Test merchant"): Promise<TestMerchant> {
  const id = newId();
  const environment = (mode: Mode): Environment => ({ id: newId(), mode, merchantId: id });
  const merchant = { id, test: environment("test"), live: environment("live") };
  await db.orm.insert(merchants).values({ id, name });
  await db.orm
    .insert(environments)
    .values([merchant.test, merchant.live].map((row) => ({ id: row.id, merchant_id: id, mode: row.mode })));
  return merchant;
}

/** One call in an environment, as by an API key with every permission. */
export function testContext(service: Service, environment: Environment, overrides: Partial<Context> = {}): Context {
  const request = { id: newId(), endpoint: "createPayment", path: "/v1/payments", ...overrides.request };
  return {
    service,
    environment,
    actor: { type: "api_key", id: newId() },
    idempotency: null,
    reauthorize: async () => {},
    ...overrides,
    request,
  };
}

/** An idempotency key as the pipeline reads it, of a request that `digest` stands for. */
export function testIdempotency(key: string, digest: Buffer, body: string | null): IdempotencyRequest {
  return { key, digest: async () => digest, isSame: async (stored) => stored.equals(digest), body };
}

/** A row of the request log: a refused read of a payment, unless it is said otherwise. */
export const loggedRequest = (
  over: Partial<RequestLogRow> & { environment_id: string; id: string },
): RequestLogRow => ({
  ...{ actor: { type: "api_key", id: newId() }, endpoint: "getPayment", method: "GET", path: "/v1/payments/x" },
  ...{ status: 404, code: "resource_not_found", detail: "There is no such payment.", param: null, query: null },
  ...{ duration_ms: 3, idempotency_key: null, replayed: false, request_body: null, request_kept: null },
  ...{ response_body: null, response_kept: null, address: null, user_agent: null, object_id: null, left_out: 0 },
  created_at: idTime(over.id),
  ...over,
});

/** What most tests of the domain begin with: a service, a merchant of their own, and a way to make calls. */
export async function testTenant(db: Database, overrides: Partial<Service> = {}) {
  const service = testService(db, overrides);
  const merchant = await createTestMerchant(db);
  return {
    service,
    merchant,
    /** A call in the test environment. */
    call: (context: Partial<Context> = {}) => testContext(service, merchant.test, context),
    /** The same call of another merchant, who must see and change nothing here. */
    stranger: await createTestMerchant(db, "Stranger"),
  };
}

/** A token of a card, as the payment form makes it, without a session. `clientSessionId` is a UUID. */
export async function testPaymentToken(ctx: Context, input: { card: CardInput; clientSessionId?: string | null }) {
  const { card, clientSessionId = null } = input;
  const at = await ctx.service.processors.choose(ctx.environment, { currency: "USD", brand: null });
  if (!at) throw new Error(`no processor takes ${ctx.environment.mode} payments`);
  return createPaymentToken(
    ctx,
    ctx.service.db.within(ctx.environment.id).orm,
    { ...(await tokenizeCard(at.processor, ctx.environment.id, card, { name: null, address: null })), at },
    { name: card.name ?? null, postalCode: null, clientSessionId },
  );
}
