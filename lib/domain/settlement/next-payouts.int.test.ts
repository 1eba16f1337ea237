import { expect, test } from "vitest";
import { connect } from "@/db/client";
import { createOtherStore } from "@/e2e/doubles/other/store";
import { connectingTenant } from "@/e2e/fixtures/connections";
import { testDatabase } from "@/e2e/fixtures/database";
import { eventsAsTold } from "@/e2e/fixtures/events";
import { settledShops } from "@/e2e/fixtures/settled-shops";
import { changeConnection, disconnectProcessor } from "../processors/connections";
import { getBalance } from "./balance";
import { bankDayAfter } from "./bank-days";
import { getFee, listNextPayouts, listPayingProcessors } from "./next-payouts";
import { getPayout, retryPayout } from "./payouts";

const { db, url } = await testDatabase();
const { openShop } = settledShops(db);
await createOtherStore(db.sql);

test("a payout arrives on the next bank day, at the time of day of its creation", async () => {
  const shop = await openShop();
  await shop.pay({ amount: 700 });
  await shop.settle();
  await shop.payOut();
  // Dated as if created before Good Friday.
  await db.sql`update payouts set created_at = '2026-04-02T02:00:07.123Z', arrival_date = ${bankDayAfter("2026-04-02", "EUR")}
    where environment_id = ${shop.environmentId}`;
  await shop.payOut();
  const [row] = await db.sql`select status, due_at from payouts where environment_id = ${shop.environmentId}`;
  expect(row).toMatchObject({ due_at: "2026-04-07T02:00:07.123Z" });
});

test("a payout's creation and its end are events, with what changed", async () => {
  const shop = await openShop();
  await shop.pay({ amount: 700 });
  await shop.pay({ amount: 90, currency: "JPY" });
  await shop.settle();
  await shop.payOut();
  const [yen, euro] = await shop.payouts();
  await db.sql`update payouts set bank_last4 = '0000' where environment_id = ${shop.environmentId} and currency = 'JPY'`;
  await shop.payOut();
  await shop.arrive();
  const told = (await eventsAsTold(db, shop.environmentId)).map(({ event }) => event);
  const eventsOf = (id?: string) => told.filter(({ data }) => data.object.id === id);
  const sent = { status: "IN_TRANSIT", updated_at: expect.any(String) };
  expect(eventsOf(euro?.id)).toMatchObject([
    { type: "payout.created", sequence: 1, data: { object: euro, previous: null } },
    {
      type: "payout.paid",
      sequence: 2,
      data: { object: await getPayout(shop.ctx, { id: euro?.id ?? "" }), previous: sent },
    },
  ]);
  expect(eventsOf(yen?.id)).toMatchObject([
    { type: "payout.created", data: { object: { amount: 90 } } },
    { type: "payout.failed", data: { object: { status: "FAILED" }, previous: { ...sent, failure_reason: null } } },
  ]);
});

test("the end of a payout from before there were events is its first event", async () => {
  const shop = await openShop();
  await shop.pay({ amount: 700 });
  await shop.settle();
  await shop.payOut();
  await shop.payOut();
  const owner = connect(url);
  await owner.sql`delete from events where environment_id = ${shop.environmentId} and type = 'payout.created'`;
  await owner.close();
  await shop.arrive();
  const told = (await eventsAsTold(db, shop.environmentId)).map(({ event }) => event);
  expect(told.filter(({ type }) => type.startsWith("payout."))).toMatchObject([
    { type: "payout.paid", sequence: 1, data: { previous: null } },
  ]);
});

test("the next payout is the earliest on its way, else what the next settlement would pay, else nothing", async () => {
  const shop = await openShop();
  const next = async () => listNextPayouts(shop.ctx, (await getBalance(shop.ctx)).currencies);
  expect(await next()).toEqual([]);
  await shop.pay({ amount: 1_000, feeBasisPoints: 290 });
  const settles = new Date(Date.now() + 22 * 3_600_000).toISOString().slice(0, 10);
  const arrival_date = bankDayAfter(settles, "EUR");
  expect(await next()).toEqual([{ currency: "EUR", state: "expected", amount: 971, arrival_date }]);
  await shop.settle();
  await shop.refuse();
  await shop.payOut();
  const [payout] = await shop.payouts();
  await shop.pay({ amount: 50 });
  expect(await next()).toEqual([
    { currency: "EUR", state: "created", amount: 971, arrival_date: payout?.arrival_date, payout_ids: [payout?.id] },
  ]);
  await shop.payOut();
  await shop.arrive();
  expect(await next(), "with the returned money").toMatchObject([{ state: "expected", amount: 1_021 }]);
  await shop.settle();
  await shop.payOut();
  await shop.payOut();
  await shop.arrive();
  expect(await next()).toEqual([{ currency: "EUR", state: "returned", amount: 1_021 }]);
  await shop.accept();
  const [failed] = await shop.payouts();
  await retryPayout(shop.ctx, { id: failed?.id as string });
  await shop.payOut();
  await shop.arrive();
  expect(await next()).toEqual([{ currency: "EUR", state: "none", amount: 0 }]);
  expect(await getFee(shop.ctx)).toBe(0);
  const live = await openShop("live");
  await live.pay({ amount: 700 });
  expect(await listNextPayouts(live.ctx, (await getBalance(live.ctx)).currencies)).toEqual([]);
});

test("in live mode the connected processors pay out, each named once", async () => {
  const tenant = await connectingTenant(db);
  const processors = (mode: "test" | "live" = "live") => listPayingProcessors(tenant.owner(mode));
  expect(await processors()).toEqual([]);
  const first = await tenant.connect("one", "live");
  const second = await tenant.connect("two", "live");
  await tenant.connect("three");
  const [connector] = tenant.service.connectors;
  expect(await processors()).toEqual([connector?.label]);
  expect(await processors("test"), "where Cardlane pays out").toEqual([]);
  await changeConnection(tenant.owner("live"), { id: second.id, is_default: true });
  await disconnectProcessor(tenant.owner("live"), { id: first.id });
  expect(await processors()).toEqual([connector?.label]);
});
