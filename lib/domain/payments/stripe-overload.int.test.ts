import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { faultsOfDoubles } from "@/e2e/doubles/stripe/compare";
import { type Double, startDouble } from "@/e2e/doubles/stripe/double";
import type { Fault, Operation } from "@/e2e/doubles/stripe/faults";
import { answerChallenge, companyOf, connectorTo } from "@/e2e/doubles/stripe/under-test";
import { testDatabase } from "@/e2e/fixtures/database";
import { type MoneyAnswer, moneyTenant } from "@/e2e/fixtures/money";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { createRegistry } from "@/lib/processor/registry";
import { continuePayment } from "./follow-up";

/**
 * Stripe executes a request, the response is lost, and it refuses all further requests, or those with this
 * key. Such a refusal proves nothing about the first request.
 */
const { db } = await testDatabase();
const TIMEOUT_MS = 1_500;
const MANUAL = { capture_method: "manual" };
const REFUSALS = ["429", "403"] as const satisfies Fault[];

const doubles: Double[] = [];
let double: Double;
beforeEach(async () => {
  double = await startDouble();
  doubles.push(double);
});
afterAll(() => Promise.all(doubles.map((one) => one.stop())));

const newTenant = () =>
  moneyTenant(db, {
    processors: createRegistry({ sandbox: connectorTo(double, { name: "stripe", timeoutMs: TIMEOUT_MS }) }),
    processorTimeoutMs: TIMEOUT_MS,
  });
type Tenant = Awaited<ReturnType<typeof newTenant>>;

/** Executes the next request of a kind and loses its response; refuses all later requests. */
function loseThenRefuse(operation: Operation, refusal: Fault): void {
  double.faults.next(operation, "lost after", 1);
  double.faults.choose = () => (double.faults.left === 0 ? refusal : null);
}

async function expectOneTruth(
  tenant: Tenant,
  first: MoneyAnswer,
  send: () => Promise<MoneyAnswer>,
): Promise<MoneyAnswer> {
  expect(first.status).toBe(202);
  double.faults.clear();
  let answer = first;
  for (let tries = 0; tries < 8 && answer.status === 202; tries++) {
    await tenant.endLeases();
    await tenant.complete();
    answer = await send();
  }
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
  expect(await faultsOfDoubles(db, doubles)).toEqual([]);
  return answer;
}

describe.each(REFUSALS)("a lost response, and %s to all that follows, is not a failure", (refusal) => {
  test("of a payment", async () => {
    const tenant = await newTenant();
    const send = () => tenant.create({}, { key: "create" });
    loseThenRefuse("confirm", refusal);
    expect((await expectOneTruth(tenant, await send(), send)).status).toBe(201);
  });

  test("of a capture", async () => {
    const tenant = await newTenant();
    const { body } = await tenant.create(MANUAL);
    const send = () => tenant.act("capture", body.id, {}, { key: "capture" });
    loseThenRefuse("capture", refusal);
    expect((await expectOneTruth(tenant, await send(), send)).status).toBe(200);
  });

  test("of a void", async () => {
    const tenant = await newTenant();
    const { body } = await tenant.create(MANUAL);
    const send = () => tenant.act("void", body.id, {}, { key: "void" });
    loseThenRefuse("cancel", refusal);
    expect((await expectOneTruth(tenant, await send(), send)).status).toBe(200);
  });

  test("a refund, which is then not sent twice", async () => {
    const tenant = await newTenant();
    const { body } = await tenant.create();
    const send = () => tenant.act("refund", body.id, { amount: 4_000 }, { key: "refund" });
    loseThenRefuse("refund", refusal);
    const first = await send();
    expect(companyOf(double).refundsOf(tenant.environmentId)).toHaveLength(1);
    expect((await expectOneTruth(tenant, first, send)).status).toBe(201);
  });

  test("of a challenge that the shopper has passed", async () => {
    const tenant = await newTenant();
    const number = "4000000000003220";
    const { body } = await tenant.create({ card: { number, exp_month: 12, exp_year: 2040, cvv: "123" } });
    await answerChallenge(body.next_action.redirect_to_url.url, true);
    double.faults.choose = () => refusal;
    const environment = { id: tenant.environmentId, mode: "test" } as const;
    const { id } = (await db.sql`select id from payments where environment_id = ${tenant.environmentId}`)[0] ?? {};
    const { kind } = await continuePayment(tenant.service, environment, id, "passed", { payment_intent: "pi_1" });
    expect(kind).toBe("pending");
    double.faults.clear();
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.get(body.id)).toMatchObject({ status: "CAPTURED" });
    expect(await faultsOfDoubles(db, doubles)).toEqual([]);
  });
});
