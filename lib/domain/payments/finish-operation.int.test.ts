import { describe, expect, test } from "vitest";
import { takeOperation } from "@/db/queries/payments/operations";
import { testDatabase } from "@/e2e/fixtures/database";
import { moneyTenant } from "@/e2e/fixtures/money";
import { holds, says } from "@/e2e/fixtures/scripted-processor";
import { decodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { leaseOf } from "./operation";

const { db } = await testDatabase({ max: 20 });

async function expectClean(): Promise<void> {
  const broken = (await verifyBooks(db)).checks.filter((check) => check.count > 0);
  expect(broken).toEqual([]);
}

async function deadlocks(): Promise<number> {
  await db.sql`select pg_stat_clear_snapshot()`;
  const [row] = await db.sql`select deadlocks::int as count from pg_stat_database where datname = current_database()`;
  return row?.count as number;
}

describe("a late outcome", () => {
  test("is discarded after another process has taken over and finished the operation", async () => {
    const tenant = await moneyTenant(db);
    const { body: payment } = await tenant.create();
    const held = holds();
    tenant.script.next(held.step);
    const key = "late";
    const first = tenant.act("refund", payment.id, { amount: 2_000 }, { key });
    await held.reached;
    await tenant.endLeases();
    await tenant.complete();
    const stored = await tenant.key(key);
    expect(stored).toMatchObject({ state: "done", status_code: 201 });

    held.release();
    const answer = await first;
    expect(answer).toMatchObject({ status: 201, text: stored?.response_body });
    expect(await tenant.get(payment.id)).toMatchObject({ amount_refunded: 2_000, status: "PARTIALLY_REFUNDED" });
    const [, refund] = await tenant.operations(payment.id);
    expect(refund).toMatchObject({ state: "succeeded", epoch: 2 });
    await expectClean();
  });

  test("is discarded while another holds the operation, even if the payment has not changed", async () => {
    const tenant = await moneyTenant(db);
    const { body: payment } = await tenant.create({ capture_method: "manual" });
    const held = holds();
    tenant.script.next(held.step);
    const key = "taken";
    const first = tenant.act("capture", payment.id, {}, { key });
    await held.reached;
    await tenant.endLeases();
    const [, capture] = await tenant.operations(payment.id);
    const taken = await takeOperation(db.sql, tenant.environmentId, capture?.id ?? "", leaseOf(8_000));
    expect(taken?.epoch).toBe(2);

    held.release();
    expect(await first).toMatchObject({ status: 202, body: { status: "PENDING" } });
    expect(await tenant.key(key)).toMatchObject({ state: "running" });
    expect((await tenant.operations(payment.id))[1]).toMatchObject({ state: "open", epoch: 2 });
    // The second holder dies as well, and the next one ends it.
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.act("capture", payment.id, {}, { key })).toMatchObject({ status: 200, replayed: true });
    expect(tenant.script.count("capture")).toBe(2);
    await expectClean();
  });

  test("does not release another holder's lease", async () => {
    const tenant = await moneyTenant(db);
    const held = holds();
    tenant.script.next(async (real) => {
      await held.step(real);
      return { kind: "unknown", reason: "late" };
    });
    const first = tenant.create({}, { key: "lost lease" });
    await held.reached;
    await tenant.endLeases();
    const [operation] = await db.sql<{ id: string }[]>`
      select id from operations where environment_id = ${tenant.environmentId} and state = 'open'`;
    await takeOperation(db.sql, tenant.environmentId, operation?.id ?? "", leaseOf(60_000));
    held.release();
    expect((await first).status).toBe(202);
    const [row] = await db.sql`
      select lease_until > now() + interval '30 seconds' as held from operations where id = ${operation?.id ?? ""}`;
    expect(row?.held).toBe(true);
    await tenant.complete();
    expect((await db.sql`select epoch from operations where id = ${operation?.id ?? ""}`)[0]?.epoch).toBe(2);
    await tenant.endLeases();
    await tenant.complete();
  });
});

describe("contention on one payment", () => {
  test("a capture is written although the payment changed after it was read", async () => {
    const tenant = await moneyTenant(db);
    const { body: payment } = await tenant.create();
    const held = [holds(), holds(), holds()];
    tenant.script.next(...held.map((one) => one.step));
    const refunds = held.map((_, index) => tenant.act("refund", payment.id, { amount: 100 + index }));
    await Promise.all(held.map((one) => one.reached));
    for (const one of held.reverse()) one.release();
    expect((await Promise.all(refunds)).map((answer) => answer.status)).toEqual([201, 201, 201]);
    expect(await tenant.get(payment.id)).toMatchObject({ amount_refunded: 303, amount_refundable: 9_697 });
    await expectClean();
  });

  test("40 concurrently finishing refunds are all written, without a deadlock, while settlement runs", async () => {
    const tenant = await moneyTenant(db);
    const before = await deadlocks();
    const { body: payment } = await tenant.create();
    const held = holds();
    tenant.script.next(...Array.from({ length: 40 }, () => held.step));
    const refunds = Array.from({ length: 40 }, (_, index) =>
      tenant.act("refund", index % 2 ? payment.id : payment.transactions[0].id, { amount: 250 }),
    );
    await expect.poll(() => tenant.script.count("refund"), { timeout: 20_000, interval: 20 }).toBe(40);
    held.release();
    const settling = Promise.all(
      [1, 2, 3].map(() => runSettlement(tenant.service, { environmentId: tenant.environmentId })),
    );
    const answers = await Promise.all(refunds);
    await settling;
    expect(answers.every((answer) => answer.status === 201)).toBe(true);
    expect(await tenant.get(payment.id)).toMatchObject({ amount_refunded: 10_000, status: "REFUNDED" });
    await runSettlement(tenant.service, { environmentId: tenant.environmentId });
    await expectClean();
    expect((await deadlocks()) - before).toBe(0);
  });

  test.each([
    ["refund", 60],
    ["capture", 40],
    ["void", 20],
  ] as const)("%s × %i concurrently never does more than there is", async (kind, count) => {
    const tenant = await moneyTenant(db);
    const { body: payment } = await tenant.create(kind === "refund" ? {} : { capture_method: "manual" });
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        tenant.act(
          kind,
          index % 2 ? payment.id : payment.transactions[0].id,
          kind === "refund" ? { amount: 700 + (index % 3) } : {},
        ),
      ),
    );
    const done = answers.filter((answer) => answer.status < 300);
    const after = await tenant.get(payment.id);
    const refunds = after.transactions.filter((row) => row.type === "REFUND");
    expect(done).toHaveLength(kind === "refund" ? refunds.length : 1);
    expect(after.amount_refunded).toBe(refunds.reduce((sum, row) => sum + row.amount, 0));
    expect(after.amount_refunded).toBeLessThanOrEqual(after.amount_captured);
    const refused = new Set(answers.filter((answer) => answer.status >= 400).map((answer) => answer.code));
    for (const code of refused)
      expect(["invalid_state", "outcome_pending", "amount_exceeds_refundable"]).toContain(code);
    await expectClean();
  });

  test("concurrent captures, voids, refunds, settlement and expiry of many payments finish without a deadlock", async () => {
    const tenant = await moneyTenant(db);
    const before = await deadlocks();
    const payments = await Promise.all(Array.from({ length: 12 }, () => tenant.create({ capture_method: "manual" })));
    const work = payments.flatMap(({ body }) => [
      tenant.act("capture", body.id, { amount: 4_000 }),
      tenant.act("void", body.id),
      tenant.act("capture", body.transactions[0].id),
      ...[300, 500, 4_000].map((amount) => tenant.act("refund", body.id, { amount })),
      tenant.act("refund", body.transactions[0].id),
    ]);
    const settling = [1, 2].map(() =>
      runSettlement(tenant.service, { environmentId: tenant.environmentId, chunkSize: 5 }),
    );
    await Promise.all([...work, ...settling, tenant.complete()]);
    expect((await deadlocks()) - before).toBe(0);
    await expectClean();
  });
});

describe("the processor's report", () => {
  test("the account of another merchant at the processor is never touched by a reference of ours", async () => {
    const tenant = await moneyTenant(db);
    const stranger = await moneyTenant(db);
    const { body: payment } = await tenant.create();
    const answer = await stranger.act("refund", payment.id);
    expect(answer).toMatchObject({ status: 404, code: "resource_not_found" });
    expect(stranger.script.calls).toEqual([]);
    expect(await stranger.key("any")).toBeNull();
  });

  test("a refund that the processor never executed releases its reservation", async () => {
    const tenant = await moneyTenant(db);
    const { body: payment } = await tenant.create();
    const notSent = says({ kind: "not_sent", reason: "refused" });
    tenant.script.next(notSent, notSent, notSent);
    expect(await tenant.act("refund", payment.id)).toMatchObject({ status: 402, code: "payment_failed" });
    expect(await tenant.get(payment.id)).toMatchObject({ status: "CAPTURED", amount_refundable: 10_000 });
    const [row] = await db.sql`select refund_pending from payments where id = ${decodeId("payment", payment.id)}`;
    expect(row?.refund_pending).toBe(0);
    await expectClean();
  });
});
