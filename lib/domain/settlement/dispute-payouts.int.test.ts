import { expect, onTestFinished, test } from "vitest";
import { connect } from "@/db/client";
import { testDatabase } from "@/e2e/fixtures/database";
import { openDispute } from "@/e2e/fixtures/disputes";
import { settledShops } from "@/e2e/fixtures/settled-shops";
import { encodeId } from "@/lib/contract/ids";
import { statementLines } from "@/lib/contract/settlement/statement";
import { dayInstants } from "@/lib/contract/transactions/time-range";
import type { Dispute } from "@/lib/processor/records";
import { getStatement } from "./balance";
import { listNextPayouts } from "./next-payouts";
import { listDisputesOfPayout, retryPayout, runPayouts } from "./payouts";

const { db, url } = await testDatabase();
const { service, offences, openShop } = settledShops(db);

type Shop = Awaited<ReturnType<typeof openShop>>;

/** A dispute of a new payment, which is captured and not settled. */
async function disputed(shop: Shop, amount: number, change: Partial<Dispute> = {}) {
  const { payment } = await shop.pay({ amount });
  const { environmentId } = shop;
  return openDispute({ service, db, environmentId }, encodeId("payment", payment), { fee: 10, ...change });
}

test("the next payout is lower by what a dispute holds, and a later one higher by what it returns", async () => {
  const shop = await openShop();
  await shop.pay({ amount: 1_000 });
  const dispute = await disputed(shop, 300);
  expect(
    await listNextPayouts(shop.ctx, [
      { currency: "EUR", pending: 1_300, available: -310, in_payout: 0, in_dispute: 310 },
    ]),
  ).toMatchObject([{ state: "expected", amount: 990 }]);
  await shop.settle();
  await shop.payOut();
  const [payout] = await shop.payouts();
  expect(payout).toMatchObject({ amount: 990, dispute_amount: -310, status: "PENDING" });
  expect(await listDisputesOfPayout(shop.ctx, payout as { id: string })).toMatchObject([
    { dispute_id: dispute.id, amount: -300, fee: -10, payout_id: payout?.id },
  ]);
  expect(await shop.balance()).toEqual({ EUR: [0, 0, 990] });
  expect(await offences()).toEqual([]);
  await dispute.becomes({ status: "won" });
  await shop.payOut();
  const [later] = await shop.payouts();
  expect(later).toMatchObject({ amount: 300, dispute_amount: 300, settlement_batch_ids: [], status: "PENDING" });
  expect(await offences()).toEqual([]);
  const [statement] = await getStatement(shop.ctx, dayInstants({ from: "2020-01-01", to: "2999-12-31" }, "UTC"));
  if (!statement) throw new Error("money has moved");
  expect(statementLines(statement).at(-1)?.amounts).toEqual([0, 0, 1_290, 0]);
  expect(statement).toMatchObject({ disputes: 0, dispute_fees: 10, disputes_paid: 10, payouts: 1_290 });
});

test("nothing is paid out while disputes exceed it, and what is left once there is more", async () => {
  const shop = await openShop();
  await shop.pay({ amount: 500 });
  await shop.settle();
  await shop.payOut();
  const { payment } = await shop.pay({ amount: 100 });
  const { environmentId } = shop;
  await openDispute({ service, db, environmentId }, encodeId("payment", payment), { amount: 400, fee: 0 });
  await shop.settle();
  await shop.payOut();
  expect(await shop.payouts()).toHaveLength(1);
  expect(await shop.balance()).toEqual({ EUR: [0, -300, 500] });
  await shop.pay({ amount: 320 });
  await shop.settle();
  await shop.payOut();
  expect(await shop.payouts()).toMatchObject([
    { amount: 20, dispute_amount: -400 },
    { amount: 500, dispute_amount: 0 },
  ]);
  expect(await offences()).toEqual([]);
});

test("a payout that fails releases its disputes, which the retried one accounts for again", async () => {
  const shop = await openShop();
  await shop.refuse();
  await shop.pay({ amount: 1_000 });
  const dispute = await disputed(shop, 300);
  await shop.settle();
  await shop.payOut();
  await shop.payOut();
  await shop.arrive();
  const [failed] = await shop.payouts();
  expect(failed).toMatchObject({ status: "FAILED", amount: 990 });
  expect(await offences()).toEqual([]);
  await shop.accept();
  const retried = await retryPayout(shop.ctx, { id: failed?.id as string });
  expect(retried).toMatchObject({ amount: 990, dispute_amount: -310 });
  expect(await listDisputesOfPayout(shop.ctx, failed as { id: string })).toMatchObject([
    { dispute_id: dispute.id, payout_id: retried.id },
  ]);
  await expect(retryPayout(shop.ctx, { id: failed?.id as string })).rejects.toMatchObject({ code: "invalid_state" });
  expect(await offences()).toEqual([]);
});

test("of many instances that pay out while disputes open and end, one accounts for each movement", async () => {
  const shops = await Promise.all(Array.from({ length: 3 }, () => openShop()));
  const databases = Array.from({ length: 3 }, () => connect(url));
  onTestFinished(async () => {
    await Promise.all(databases.map((each) => each.close()));
  });
  const run = () => Promise.all(databases.map((each) => runPayouts({ ...service, db: each })));
  for (const shop of shops) {
    for (let i = 0; i < 4; i++) await shop.pay({ amount: 1_000 });
    await shop.settle();
  }
  const opened = await Promise.all([
    ...shops.flatMap((shop) => [disputed(shop, 300), disputed(shop, 200)]),
    run().then(() => null),
  ]);
  expect(await offences()).toEqual([]);
  const ends = ["won", "lost"] as const;
  await Promise.all([
    ...opened.flatMap((dispute, index) =>
      dispute ? [dispute.becomes({ status: ends[index % 2] as "won" | "lost" })] : [],
    ),
    run(),
  ]);
  for (const shop of shops) await shop.settle();
  await run();
  expect(await offences()).toEqual([]);
});
