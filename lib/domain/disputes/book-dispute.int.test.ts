import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { disputable } from "@/e2e/fixtures/disputes";
import type { Dispute } from "@/lib/processor/records";
import type { Context } from "../context";
import { getPaymentDetail } from "../payments/payment-detail";
import { verifyBooks } from "../reconciliation/verify-books";
import { getBalance, listMovements } from "../settlement/balance";
import { getDisputeDetail } from "./dispute-pages";
import { listDisputes } from "./read-disputes";
import { recordDispute } from "./record-dispute";

const { db } = await testDatabase();

const broken = async () => (await verifyBooks(db)).checks.filter(({ count }) => count > 0).map(({ check }) => check);

/** Available, held by disputes, and each movement of disputes as "type amount". */
async function balanceOf(ctx: Context, currency = "USD") {
  const balance = (await getBalance(ctx)).currencies.find((each) => each.currency === currency);
  const movements = (await listMovements(ctx, { currency, limit: 100 })).data.filter((each) => each.dispute_id);
  return [balance?.available, balance?.in_dispute, movements.map(({ type, amount }) => `${type} ${amount}`).sort()];
}

test.each([
  ["under_review", -11_500, 11_500, "The evidence is with the cardholder’s bank, which decides.", "action_required"],
  ["won", -1_500, 0, "The amount is returned to you; the processor’s fee of $15.00 is not.", "succeeded"],
  ["lost", -11_500, 0, "The amount and the processor’s fee of $15.00 are lost.", "failed"],
  ["accepted", -11_500, 0, "The amount and the processor’s fee of $15.00 are lost.", "accepted"],
] as const)(
  "the ledger has what a dispute that becomes %s leaves, however often it is reported, and pages say it",
  async (status, left, held, text, outcome) => {
    const { tenant, payment, from, ctx, report, becomes } = await disputable(db);
    const say = async () => {
      await expect.poll(() => recordDispute(tenant.service, from, report)).toBe(true);
    };
    await say();
    expect(await balanceOf(ctx)).toEqual([-11_500, 11_500, ["dispute -10000", "dispute_fee -1500"]]);
    expect(await broken()).toEqual([]);
    becomes({ status });
    await Promise.all(Array.from({ length: 4 }, say));
    await say();
    const returned = status === "won" ? ["dispute_return 10000"] : [];
    expect(await balanceOf(ctx)).toEqual([left, held, ["dispute -10000", "dispute_fee -1500", ...returned]]);
    const [dispute] = (await listDisputes(ctx, {})).data;
    const { meaning } = await getDisputeDetail(ctx, { id: dispute?.id ?? "" });
    expect(meaning).toContain(text);
    const { timeline } = await getPaymentDetail(ctx, { id: payment.id });
    expect(timeline.at(-1)).toMatchObject({ kind: "dispute", said: meaning, outcome });
    expect(await broken()).toEqual([]);
  },
);

test("the ledger corrects a dispute that is lost and then won, and one whose amount, fee or currency changes", async () => {
  const { tenant, from, ctx, report, becomes } = await disputable(db);
  const say = async (change: Partial<Dispute>) => {
    becomes(change);
    await expect.poll(() => recordDispute(tenant.service, from, report)).toBe(true);
    expect(await broken()).toEqual([]);
    return (await balanceOf(ctx)).slice(0, 2);
  };
  expect(await say({ status: "lost" })).toEqual([-11_500, 0]);
  expect(await say({ status: "won" })).toEqual([-1_500, 0]);
  expect(await say({ status: "under_review", amount: 4_000, fee: 2_000 })).toEqual([-6_000, 6_000]);
  expect(await say({ status: "under_review", amount: 4_000, fee: null })).toEqual([-4_000, 4_000]);
  expect(await say({ status: "lost", amount: 900, fee: 10, currency: "EUR" })).toEqual([0, 0]);
  expect((await balanceOf(ctx, "EUR")).slice(0, 2)).toEqual([-910, 0]);
});

test("the ledger holds nothing of an inquiry until it becomes a chargeback", async () => {
  const { tenant, from, ctx, report, becomes } = await disputable(db);
  becomes({ withdrawn: false, fee: null });
  await recordDispute(tenant.service, from, report);
  expect(await balanceOf(ctx)).toEqual([0, 0, []]);
  becomes({});
  await expect.poll(() => recordDispute(tenant.service, from, report)).toBe(true);
  expect((await balanceOf(ctx)).slice(0, 2)).toEqual([-11_500, 11_500]);
  expect(await broken()).toEqual([]);
});

test("the ledger is shown on the payment's page with the lines of its dispute", async () => {
  const { tenant, payment, from, ctx, report, becomes } = await disputable(db);
  await recordDispute(tenant.service, from, report);
  becomes({ status: "lost" });
  await expect.poll(() => recordDispute(tenant.service, from, report)).toBe(true);
  const { ledger } = await getPaymentDetail(ctx, { id: payment.id });
  expect(ledger.map(({ title, amount }) => `${title} ${amount}`)).toEqual(
    expect.arrayContaining([
      "Dispute 10000",
      "Dispute fee 1500",
      "Disputed amount lost 10000",
      "Dispute fee kept 1500",
    ]),
  );
});
