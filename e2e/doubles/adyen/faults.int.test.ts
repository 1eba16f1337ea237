import { afterAll, describe, expect, test } from "vitest";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { testDatabase } from "../../fixtures/database";
import type { MoneyAnswer } from "../../fixtures/money";
import type { Fault } from "./http-server";
import { adyenTenant } from "./tenant";

/**
 * Every fault with every operation: each operation must reach its one correct result, and both books must
 * agree exactly.
 */
const { db } = await testDatabase();
const tenant = await adyenTenant(db, afterAll, { timeoutMs: 1_500 });
const { double } = tenant;

const answer = (status: number, errorCode: string, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: JSON.stringify({ status, errorCode, message: "a fault", errorType: "internal" }),
});
const FAULTS: Readonly<Record<string, Fault>> = {
  "lost before": "lost before",
  "lost after": "lost after",
  late: "late",
  reset: "reset",
  "silent before": "silent before",
  "silent after": "silent after",
  "429": { answer: answer(429, "029"), executed: false },
  "401": { answer: answer(401, "000"), executed: false },
  "a transient 503": { answer: answer(503, "703", { "transient-error": "true" }), executed: false },
  "a 500 before": { answer: answer(500, "905"), executed: false },
  "a 500 after": { answer: answer(500, "905"), executed: true },
  "garbage after": { answer: { status: 200, body: "<html>" }, executed: true },
};

const PATHS = { authorize: /\/payments$/, capture: /captures$/, void: /cancels$/, refund: /refunds$/ } as const;
type Operation = keyof typeof PATHS;

/** Retries until the response is final, while time passes and Adyen decides and sends messages. */
async function settled(send: () => Promise<MoneyAnswer>, maxSends = 6): Promise<MoneyAnswer> {
  let last = await send();
  for (let tries = 0; tries < maxSends && last.status === 202; tries++) {
    await tenant.endAll();
    await double.releaseLate();
    double.books.decide();
    for (const body of double.messages()) await tenant.post(body);
    last = await send();
  }
  return last;
}

/** A function that sends an operation, on a payment that allows it. */
async function prepared(operation: Operation): Promise<() => Promise<MoneyAnswer>> {
  const key = crypto.randomUUID();
  if (operation === "authorize") {
    // The same body each time, like a merchant's retry.
    const payment_token = (await tenant.token()) as string;
    return () => tenant.create({ payment_token }, { key });
  }
  const { body } = await tenant.pay(operation === "refund" ? {} : { capture_method: "manual" });
  return () => tenant.act(operation, body.id, operation === "void" ? {} : { amount: 4_000 }, { key });
}

/** Our totals for this tenant, and the double's. */
async function sums() {
  const [ours] = await db.sql`
    select coalesce(sum(amount_captured), 0)::int as captured, coalesce(sum(amount_refunded), 0)::int as refunded,
      count(*) filter (where status = 'VOIDED')::int as voided,
      count(*) filter (where status not in ('DECLINED', 'FAILED', 'PENDING'))::int as payments
    from payments where environment_id = ${tenant.environmentId}`;
  const held = [...double.books.payments.values()].filter(({ state }) => state === "authorised");
  const sum = (of: "captured" | "refunded") => held.reduce((total, payment) => total + payment[of], 0);
  const voided = held.filter((payment) => payment.voided).length;
  return {
    ours: { ...ours },
    theirs: { captured: sum("captured"), refunded: sum("refunded"), voided, payments: held.length },
  };
}

async function expectAgreement(): Promise<void> {
  const { ours, theirs } = await sums();
  expect(ours).toEqual(theirs);
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

describe.each(Object.keys(PATHS) as Operation[])("%s", (operation) => {
  test.each(Object.entries(FAULTS))("%s", async (_name, fault) => {
    const send = await prepared(operation);
    double.fault(PATHS[operation], fault);
    const first = await settled(send);
    // Only operations that provably were not executed may end as failed.
    expect([200, 201, 402]).toContain(first.status);
    const again = await send();
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    double.clearFaults();
    await expectAgreement();
  });

  test("a 500 that Adyen stores, executed: the webhook decides", async () => {
    const send = await prepared(operation);
    double.storeFailure("after");
    expect((await settled(send)).status).toBeLessThan(300);
    await expectAgreement();
  });
});

// Must run last: operations that nothing reports on stay open.
describe("without a webhook", () => {
  test.each(Object.keys(PATHS) as Operation[])(
    "%s: a 500 that Adyen stores, not executed: its outcome stays unknown",
    async (operation) => {
      const send = await prepared(operation);
      double.storeFailure("before");
      expect((await settled(send, 2)).status).toBe(202);
      await expectAgreement();
    },
  );
});
