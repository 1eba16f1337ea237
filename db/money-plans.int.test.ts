import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { createRecorder, newIdempotency, type Recorder } from "@/bench/record";
import type { Statement } from "@/bench/script";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, testPaymentToken } from "@/e2e/fixtures/factories";
import { insertManyTransactions } from "@/e2e/fixtures/many-rows";
import { genericPlanOf, nodesOf } from "@/e2e/fixtures/query-plans";
import { createClientSessionBody } from "@/lib/contract/checkout/client-session";
import { checkoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { cardInput, createPaymentBody } from "@/lib/contract/payments/payment";
import { createClientSession } from "@/lib/domain/checkout/client-sessions";
import { findCheckout, payClientSession } from "@/lib/domain/checkout/pay-session";
import type { Context, Environment, Reply } from "@/lib/domain/context";
import { createPayment } from "@/lib/domain/payments/create-payment";
import { capturePayment, refundPayment, voidPayment } from "@/lib/domain/payments/follow-up";
import { getPayment } from "@/lib/domain/payments/read-payments";
import type { Database, Sql } from "./client";

/**
 * A connection keeps plans made in its first seconds, when tables may be empty and all indexes look alike.
 * Every lookup of the money path must be by key, or it reads all rows of an environment.
 */
const { db, url } = await testDatabase({ own: true });
/** Never written to or analyzed. */
const { db: fresh } = await testDatabase({ own: true });
/** Has statistics, as one minute of autovacuum leaves them. */
const { db: used } = await testDatabase({ own: true });
const sent = new Map<string, Statement[]>();
let recorder: Recorder;
let environment: Environment;

const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };
/** A lookup by none of these is a lookup by range. */
const BY_KEY = /\((id|key|object_id|payment_id|reference|token_sha256|client_session_id|merchant_id) = /;
/** Looks up a session by its token across environments, because the environment is not known yet. */
const THE_FORM = "the form";
/** The sandbox's recent attempts; each lookup reads at most the newest rows. */
const NEWEST = ["sandbox_recent_attempts_digest", "sandbox_charges_history"];

beforeAll(async () => {
  environment = (await createTestMerchant(db)).test;
  recorder = await createRecorder(url);
  const record = async <Answer>(name: string, work: (ctx: Context) => Promise<Answer>, key = newIdempotency({})) => {
    const { answer, statements } = await recorder.run(environment, work, { idempotency: key });
    sent.set(name, statements);
    return answer;
  };
  const pay = (more: object) => (ctx: Context) =>
    createPayment(ctx, createPaymentBody.parse({ amount: 1_999, currency: "USD", ...more }));
  const idOf = ({ body }: Reply) => (JSON.parse(body) as { id: string }).id;
  const held = async () => idOf(await pay({ card, capture_method: "manual" })(await contextOf(recorder)));

  const key = newIdempotency({});
  const id = idOf(await record("a payment", pay({ card }), key));
  await record("its replay", pay({ card }), key);
  await record("a refund", (ctx) => refundPayment(ctx, { id, amount: 500 }));
  await record("getting it", (ctx) => getPayment(ctx, { id }));
  const [first, second] = [await held(), await held()];
  await record("a capture", (ctx) => capturePayment(ctx, { id: first, amount: 500 }));
  await record("a void", (ctx) => voidPayment(ctx, { id: second }));
  const token = (await testPaymentToken(await contextOf(recorder), { card: cardInput.parse(card) })).id;
  await record("a payment with a token", pay({ payment_token: token }));
  const session = await createClientSession(
    await contextOf(recorder),
    createClientSessionBody.parse({ amount: 1_999, currency: "USD" }),
  );
  const { client_session_token: opens } = JSON.parse(session.body) as { client_session_token: string };
  const checkout = await record(THE_FORM, (ctx) => findCheckout(ctx.service, opens));
  if (!checkout) throw new Error("the session was not found");
  await record("a payment in the form", (ctx) =>
    payClientSession(ctx, checkout, checkoutAttemptBody.parse({ attempt: "first", card })),
  );
});

beforeAll(async () => {
  const { test: environment } = await createTestMerchant(used);
  await insertManyTransactions(used, environment.id, 5_000);
  await used.sql.begin(async (tx) => {
    // These rows only shape plans, so constraints and triggers are off.
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, actor, idempotency_key,
        lease_until, send_until, next_attempt_at, completed_at, last_answer)
      select environment_id, authorization_id, id, charge_id, 'authorize', 'succeeded', amount, currency,
        '{"type":"system","id":null}', id::text, created_at, created_at, created_at, created_at, 'approved'
      from payments`;
    await tx`
      insert into idempotency_keys (environment_id, key, operation_name, path, request_digest, request_id, actor, operation_id, state,
        locked_until, status_code, response_body)
      select environment_id, id::text, 'createPayment', '/v1/payments', '', id, '{"type":"system","id":null}', authorization_id,
        'done', created_at, 201, '{}'
      from payments`;
  });
  await used.sql`analyze payments, transactions, operations, idempotency_keys`;
}, 120_000);

afterAll(async () => {
  await recorder.close();
});

/** A separate context for set-up steps. */
async function contextOf({ run }: Recorder): Promise<Context> {
  return (await run(environment, async (ctx) => ctx, { idempotency: newIdempotency({}) })).answer;
}

/** Scans in the generic plan, which holds for any values. */
async function lookupsOf({ text }: Statement, sql: Sql): Promise<string[]> {
  return nodesOf(await genericPlanOf(sql, text))
    .filter(
      (node) =>
        node["Node Type"].endsWith("Scan") && !/CTE|Function|Values|Subquery|Bitmap Heap/.test(node["Node Type"]),
    )
    .filter((node) => !NEWEST.includes(node["Index Name"] ?? ""))
    .map(
      (node) => `${node["Relation Name"] ?? ""} ${node["Index Name"] ?? node["Node Type"]} ${node["Index Cond"] ?? ""}`,
    );
}

test("a replay of a payment from the same process takes one lookup", () => {
  const texts = (sent.get("its replay") ?? []).map(({ text }) => text.trim().slice(0, 6));
  expect(texts).toEqual(["select"]);
});

/** Lookups without a key. */
async function byRange(of: Database, role: "owner" | "app"): Promise<string[]> {
  const found: string[] = [];
  let seen = 0;
  for (const [name, statements] of sent) {
    for (const statement of statements) {
      const isScoped = role === "app" && statement.pool !== "store" && name !== THE_FORM;
      const lookups = await lookupsOf(statement, isScoped ? of.within(environment.id).sql : of.sql);
      seen += lookups.length;
      found.push(...lookups.filter((lookup) => !BY_KEY.test(lookup)).map((lookup) => `${name}: ${lookup}`));
    }
  }
  expect(seen).toBeGreaterThan(12);
  return [...new Set(found)];
}

describe.each(["owner", "app"] as const)("each lookup of the money path is by a key, as %s,", (role) => {
  it("planned on empty tables", async () => {
    expect(await byRange(fresh, role)).toEqual([]);
  });

  it("planned on tables of one environment's 5,000 payments", async () => {
    expect(await byRange(used, role)).toEqual([]);
  });
});
