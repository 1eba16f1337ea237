import { afterEach, describe, expect, test, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { moneyTenant } from "@/e2e/fixtures/money";
import { losesAnswer, says } from "@/e2e/fixtures/scripted-processor";
import { systemClock } from "@/lib/clock";
import { decodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import type { Reporter } from "@/lib/processor/registry";
import { followDatabaseTime } from "../context";
import { storeLateCard } from "../payment-methods/late-stored-card";
import { runSettlement } from "../settlement/settle";
import { expirePayments } from "./expire-payments";
import { AUTHORIZATION_DAYS } from "./outcome";
import { recoverOperations } from "./recover-operations";

const { db } = await testDatabase();
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const CHALLENGED = { card: { number: "4000000000003220", exp_month: 12, exp_year: 2040, cvv: "123" } };

afterEach(() => {
  vi.useRealTimers();
});

async function databaseNow(): Promise<number> {
  const [row] = await db.sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
  return row?.ms;
}

/** Expects a time within a minute of `fromNowMs` after the database's now. */
async function expectAt(time: string | null, fromNowMs = 0): Promise<void> {
  expect(Math.abs(Date.parse(time ?? "") - (await databaseNow()) - fromNowMs)).toBeLessThan(MINUTE_MS);
}

const offBy = (ms: number) => ({ now: () => new Date(Date.now() + ms) });

describe.each([
  ["eight days behind", -8 * DAY_MS],
  ["two years ahead", 730 * DAY_MS],
])("an instance whose clock is %s", (_, ms) => {
  test("finishes another's authorization so that it holds for seven days by the database's", async () => {
    const tenant = await moneyTenant(db);
    tenant.script.next(losesAnswer);
    const { body: pending } = await tenant.create({ capture_method: "manual" }, { key: "k" });
    await tenant.endLeases();
    await recoverOperations({ ...tenant.service, clock: offBy(ms) });
    await expirePayments(tenant.service);
    const payment = await tenant.get(pending.id);
    expect(payment).toMatchObject({ status: "AUTHORIZED", available_actions: ["capture", "void"] });
    const [charge] = payment.transactions;
    await expectAt(charge?.capture_before ?? null, AUTHORIZATION_DAYS * DAY_MS);
    await expectAt(charge?.authorized_at ?? null);
    const { body: answer } = await tenant.create({ capture_method: "manual" }, { key: "k" });
    expect(answer.transactions).toEqual(payment.transactions);
  });

  test("ends a challenge after half an hour, and stamps captures and refunds with the database's time", async () => {
    const tenant = await moneyTenant(db);
    const service = { ...tenant.service, clock: offBy(ms) };
    const { body: challenged } = await tenant.create(CHALLENGED, { service });
    await expirePayments(tenant.service);
    expect(await tenant.get(challenged.id)).toMatchObject({ status: "REQUIRES_ACTION" });
    await expectAt(challenged.next_action.expires_at, 30 * MINUTE_MS);
    const { body: payment } = await tenant.create({}, { service });
    const { body: refunded } = await tenant.act("refund", payment.id, {}, { service });
    for (const one of (await tenant.get(payment.id)).transactions) await expectAt(one.captured_at);
    expect(refunded.status).toBe("REFUNDED");
    expect((await verifyBooks(db)).balanced).toBe(true);
  });
});

test("this machine's own clock, even when changed, does not affect what is written", async () => {
  await followDatabaseTime(db.sql);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 8 * DAY_MS });
  const { skewMs } = await followDatabaseTime(db.sql);
  expect(Math.round(skewMs / DAY_MS)).toBe(8);
  const tenant = await moneyTenant(db, { clock: systemClock });
  for (const setTo of [0, 800 * DAY_MS]) {
    vi.setSystemTime(Date.now() + setTo);
    const { body: payment } = await tenant.create({ capture_method: "manual" });
    await expectAt(payment.created_at);
    await expectAt(payment.transactions[0].capture_before, AUTHORIZATION_DAYS * DAY_MS);
  }
});

test("no change is dated before the last one, which an instance whose clock is ahead may have dated", async () => {
  const tenant = await moneyTenant(db);
  // Stores no card yet.
  tenant.script.next(says({ kind: "approved" }), says({ kind: "approved" }));
  const { body } = await tenant.create({ customer_id: "cus_1", save_payment_method: true });
  const [row] = await db.sql<{ at: string }[]>`
    update payments set updated_at = clock_timestamp() + interval '40 seconds'
    where environment_id = ${tenant.environmentId} and id = ${decodeId("payment", body.id)} returning updated_at as at`;
  const ahead = new Date(row?.at ?? "").toISOString();
  const sandbox = (await tenant.service.processors.reporter("sandbox")) as Reporter;
  const of = { environment_id: tenant.environmentId, payment_id: decodeId("payment", body.id) as string };
  expect(await storeLateCard(tenant.service, sandbox, of, "pm_late")).toBe(true);
  expect(await tenant.get(body.id)).toMatchObject({ updated_at: ahead, payment_method_id: expect.any(String) });
  expect((await tenant.act("refund", body.id, { amount: 1_000 })).body.updated_at).toBe(ahead);
  expect((await tenant.get(body.id)).updated_at).toBe(ahead);
  await runSettlement(tenant.service, { environmentId: tenant.environmentId });
  expect(await tenant.get(body.id)).toMatchObject({ updated_at: ahead, status: "PARTIALLY_REFUNDED" });
});
