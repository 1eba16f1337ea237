import { describe, expect, it, test } from "vitest";
import { connect } from "@/db/client";
import { foldDeltas } from "@/db/queries/reporting/daily-totals";
import { failSettledRefund } from "@/e2e/fixtures/books";
import { testDatabase } from "@/e2e/fixtures/database";
import { settledShops } from "@/e2e/fixtures/settled-shops";
import { AppError } from "@/lib/contract/errors";
import { listTransactions } from "../transactions/read-transactions";
import { listMovements } from "./balance";
import {
  getBankAccount,
  getPayout,
  listPayouts,
  MAX_NEW_PAYOUTS,
  payoutsOf,
  retryPayout,
  runPayouts,
  sumOf,
  updateBankAccount,
} from "./payouts";
import { getSettlementBatch, listSettlementBatches } from "./read-batches";
import { runSettlement } from "./settle";

const { db, url } = await testDatabase();
const { service, offences, openShop } = settledShops(db);

describe("payoutsOf", () => {
  const batch = (id: string, net_amount: number, payout_failed = false) => ({
    id,
    kind: "batch" as const,
    net_amount,
    payout_failed,
  });
  const idsOf = (...batches: ReturnType<typeof batch>[]) =>
    payoutsOf(batches).map((payout) => payout.map(({ id }) => id));

  it("creates one payout per batch", () => {
    expect(idsOf(batch("a", 5), batch("b", 7))).toEqual([["a"], ["b"]]);
  });

  it("carries a negative batch until there is more money, and creates no empty payout", () => {
    expect(idsOf(batch("a", -5), batch("b", 5), batch("c", 1))).toEqual([["a", "b", "c"]]);
    expect(idsOf(batch("a", -5), batch("b", 3))).toEqual([]);
    expect(idsOf(batch("a", 0))).toEqual([]);
  });

  it("deducts negative last batches from earlier payouts: never more than is available", () => {
    expect(idsOf(batch("a", 400), batch("b", -300))).toEqual([["a", "b"]]);
    expect(idsOf(batch("a", 400), batch("b", 50), batch("c", -60))).toEqual([["a", "b", "c"]]);
    expect(idsOf(batch("a", 400), batch("b", 50), batch("c", -40))).toEqual([["a"], ["b", "c"]]);
    expect(idsOf(batch("a", 400), batch("b", -400))).toEqual([]);
    expect(idsOf(batch("a", 400), batch("b", -500))).toEqual([]);
  });

  it("limits a payout to sums that are exact", () => {
    const max = 999_999_999_999_999;
    const returned = Array.from({ length: 10 }, (_, i) => batch(`${i}`, max, true));
    const payouts = payoutsOf([...returned, batch("x", max)]);
    expect(payouts.map((payout) => payout.length)).toEqual([9, 2]);
    expect(payouts.every((payout) => Number.isSafeInteger(sumOf(payout)))).toBe(true);
  });

  it("sends a failed payout's money with the next batch, and never alone", () => {
    expect(idsOf(batch("a", 5, true))).toEqual([]);
    expect(idsOf(batch("a", 5, true), batch("b", 5, true), batch("c", 2), batch("d", 1))).toEqual([
      ["a", "b", "c"],
      ["d"],
    ]);
  });
});

test("money moves from pending to available, into a payout and to the bank, by currency, and the books agree at each step", async () => {
  const shop = await openShop();
  await shop.pay({ amount: 1_000, refunded: 200, feeBasisPoints: 290 });
  await shop.pay({ amount: 90, currency: "JPY" });
  expect(await shop.balance()).toEqual({ EUR: [771, 0, 0], JPY: [90, 0, 0] });
  const [batch] = await shop.settle();
  expect(batch).toMatchObject({ currency: "EUR", charge_amount: 1_000, refund_amount: 200, net_amount: 771 });
  expect(await shop.balance()).toEqual({ EUR: [0, 771, 0], JPY: [0, 90, 0] });
  expect(await offences()).toEqual([]);
  await shop.payOut();
  expect(await shop.balance()).toEqual({ EUR: [0, 0, 771], JPY: [0, 0, 90] });
  expect(await offences()).toEqual([]);
  const [yen, euro] = await shop.payouts();
  expect(euro).toMatchObject({ status: "PENDING", amount: 771, currency: "EUR", failure_reason: null });
  expect(euro?.bank_account.last4).toBe("6789");
  expect(yen).toMatchObject({ status: "PENDING", amount: 90, currency: "JPY" });
  await shop.payOut();
  expect((await shop.payouts()).map(({ status }) => status)).toEqual(["IN_TRANSIT", "IN_TRANSIT"]);
  expect(await runPayouts(service), "before a day has passed").toBe(0);
  await shop.arrive();
  expect((await shop.payouts()).map(({ status }) => status)).toEqual(["PAID", "PAID"]);
  expect(await shop.balance()).toEqual({ EUR: [0, 0, 0], JPY: [0, 0, 0] });
  const shown = await getSettlementBatch(shop.ctx, { id: euro?.settlement_batch_ids[0] as string });
  expect(shown).toMatchObject({ fee_amount: 29, net_amount: 771, transaction_count: 2, payout_id: euro?.id });
  while ((await foldDeltas(service.db.sql)) > 0);
  expect(await shop.balance(), "folded or not").toEqual({ EUR: [0, 0, 0], JPY: [0, 0, 0] });
  expect(await offences()).toEqual([]);
});

test("a payout that the bank refuses returns its money, which goes out with the next payout", async () => {
  const shop = await openShop();
  await shop.refuse();
  await shop.pay({ amount: 500 });
  await shop.settle();
  await shop.payOut();
  await shop.payOut();
  await shop.arrive();
  const [failed] = await shop.payouts();
  expect(failed).toMatchObject({ status: "FAILED", failure_reason: expect.stringContaining("no account") });
  expect(failed?.settlement_batch_ids).toHaveLength(1);
  expect(await shop.balance()).toEqual({ EUR: [0, 500, 0] });
  expect(await runPayouts(service), "not by itself").toBe(0);
  expect(await offences()).toEqual([]);
  await shop.accept();
  await shop.pay({ amount: 30 });
  await shop.settle();
  await shop.payOut();
  const [next] = await shop.payouts();
  expect(next).toMatchObject({ status: "PENDING", amount: 530 });
  expect(next?.settlement_batch_ids).toContain(failed?.settlement_batch_ids[0]);
  expect(await shop.balance()).toEqual({ EUR: [0, 0, 530] });
  await expect(retryPayout(shop.ctx, { id: failed?.id as string })).rejects.toMatchObject({ code: "invalid_state" });
  expect(await offences()).toEqual([]);
});

test("a failed payout is retried once, however many requests there are", async () => {
  const shop = await openShop();
  await shop.refuse();
  await shop.pay({ amount: 500 });
  await shop.settle();
  await shop.payOut();
  const [sent] = await shop.payouts();
  const id = sent?.id as string;
  await expect(retryPayout(shop.ctx, { id })).rejects.toMatchObject({ code: "invalid_state" });
  await shop.payOut();
  await shop.arrive();
  await shop.accept();
  const tries = await Promise.allSettled(Array.from({ length: 6 }, () => retryPayout(shop.ctx, { id })));
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const tried of tries) if (tried.status === "rejected") expect(tried.reason).toBeInstanceOf(AppError);
  expect(await shop.balance()).toEqual({ EUR: [0, 0, 500] });
  await shop.payOut();
  await shop.arrive();
  expect((await shop.payouts()).map(({ status }) => status)).toEqual(["PAID", "FAILED"]);
  expect(await offences()).toEqual([]);
});

test("refunds of paid out money are deducted from the next payout, and no payout is empty", async () => {
  const shop = await openShop();
  const ids = await shop.pay({ amount: 400, refunded: 100 });
  await db.sql`update transactions set captured_at = null where environment_id = ${shop.environmentId} and id = ${ids.refund}`;
  await shop.settle();
  await shop.payOut();
  await shop.payOut();
  await shop.arrive();
  await db.sql`update transactions set captured_at = now() where environment_id = ${shop.environmentId} and id = ${ids.refund}`;
  expect(await shop.balance()).toEqual({ EUR: [-100, 0, 0] });
  await shop.settle();
  expect(await shop.balance()).toEqual({ EUR: [0, -100, 0] });
  await shop.payOut();
  expect(await shop.payouts()).toHaveLength(1);
  await shop.pay({ amount: 100 });
  await shop.settle();
  await shop.payOut();
  expect(await shop.payouts(), "together they are 0").toHaveLength(1);
  await shop.pay({ amount: 250 });
  await shop.settle();
  await shop.payOut();
  const [next] = await shop.payouts();
  expect(next).toMatchObject({ amount: 250 });
  expect(next?.settlement_batch_ids).toHaveLength(3);
  expect(await offences()).toEqual([]);
});

test("a refund that failed after its batch was paid out comes back with the next batch", async () => {
  const shop = await openShop();
  const ids = await shop.pay({ amount: 500, refunded: 400 });
  await shop.settle();
  await failSettledRefund(db, shop.environmentId, ids);
  expect(await shop.balance()).toEqual({ EUR: [400, 100, 0] });
  await shop.settle();
  await shop.payOut();
  expect((await shop.payouts()).map(({ amount }) => amount).sort((a, b) => a - b)).toEqual([100, 400]);
  expect(await offences()).toEqual([]);
});

test("any number of workers create one payout per batch, and pay it once", async () => {
  const shop = await openShop();
  for (let i = 0; i < 3; i++) {
    await shop.pay({ amount: 100 + i });
    await shop.settle();
  }
  const together = () => Promise.all(Array.from({ length: 6 }, () => runPayouts(service)));
  await together();
  await together();
  expect((await shop.payouts()).map(({ amount }) => amount)).toEqual([102, 101, 100]);
  await db.sql`update payouts set due_at = now() - interval '1 second' where environment_id = ${shop.environmentId}`;
  await together();
  expect((await shop.payouts()).map(({ status }) => status)).toEqual(["PAID", "PAID", "PAID"]);
  expect(await shop.balance()).toEqual({ EUR: [0, 0, 0] });
  expect(await offences()).toEqual([]);
});

test("a worker that dies in the middle of any step leaves it undone, and the next one does it", async () => {
  const shop = await openShop();
  await shop.pay({ amount: 700 });
  await shop.settle();
  // The worker dies after each statement of the step in turn.
  for (const table of ["settlement_batches", "payouts", "ledger_entries", "audit_log"]) {
    const name = `die_at_${table}`;
    await db.sql.unsafe(`create function ${name}() returns trigger language plpgsql as $$ begin
      if new.environment_id = '${shop.environmentId}' then perform pg_terminate_backend(pg_backend_pid()); end if; return new; end $$`);
    await db.sql.unsafe(
      `create trigger ${name} before insert or update on ${table} for each row execute function ${name}()`,
    );
    await runPayouts(service).catch(() => null);
    await db.sql.unsafe(`drop trigger ${name} on ${table}`);
    expect(await shop.payouts(), table).toEqual([]);
    expect(await shop.balance()).toEqual({ EUR: [0, 700, 0] });
  }
  await shop.payOut();
  await shop.payOut();
  await db.sql`update payouts set due_at = now() - interval '1 second' where environment_id = ${shop.environmentId}`;
  for (const table of ["payouts", "ledger_entries", "audit_log"]) {
    const name = `die_at_${table}`;
    await db.sql.unsafe(
      `create trigger ${name} before insert or update on ${table} for each row execute function ${name}()`,
    );
    await runPayouts(service).catch(() => null);
    await db.sql.unsafe(`drop trigger ${name} on ${table}`);
    expect((await shop.payouts())[0]?.status).toBe("IN_TRANSIT");
  }
  await shop.payOut();
  expect((await shop.payouts())[0]?.status).toBe("PAID");
  expect(await offences()).toEqual([]);
});

test("many payouts are a commit per twenty: a worker that dies in the second leaves the first one complete", async () => {
  const shop = await openShop();
  const { environmentId } = shop;
  const amounts = Array.from({ length: 2 * MAX_NEW_PAYOUTS + 5 }, (_, index) => 100 + index);
  for (const amount of amounts) await shop.pay({ amount });
  await runSettlement(service, { environmentId, chunkSize: 1 });
  // The refund settles last: the last payout pays its charge's batch less this.
  const last = await shop.pay({ amount: 50, refunded: 10 });
  await db.sql`update transactions set captured_at = null where environment_id = ${environmentId} and id = ${last.refund}`;
  await shop.settle();
  await db.sql`update transactions set captured_at = now() where environment_id = ${environmentId} and id = ${last.refund}`;
  await shop.settle();
  const total = amounts.reduce((sum, amount) => sum + amount, 0) + 40;
  const created = () => db.sql<{ amount: number; commit: string }[]>`
    select amount, xmin::text as commit from payouts where environment_id = ${environmentId} order by id`;

  await db.sql.unsafe(`create function die_in_second() returns trigger language plpgsql as $$ begin
    if (select count(*) from payouts where environment_id = '${environmentId}') = ${MAX_NEW_PAYOUTS + 3}
    then perform pg_terminate_backend(pg_backend_pid()); end if; return new; end $$`);
  await db.sql`create trigger die_in_second before insert on payouts for each row execute function die_in_second()`;
  await runPayouts(service).catch(() => null);
  await db.sql`drop trigger die_in_second on payouts`;
  const first = amounts.slice(0, MAX_NEW_PAYOUTS);
  expect((await created()).map(({ amount }) => amount)).toEqual(first);
  const paid = first.reduce((sum, amount) => sum + amount, 0);
  expect(await shop.balance()).toEqual({ EUR: [0, total - paid, paid] });
  expect(await offences()).toEqual([]);

  await db.sql`update payouts set due_at = now() + interval '1 day' where environment_id = ${environmentId}`;
  await Promise.all(Array.from({ length: 4 }, () => runPayouts(service)));
  const payouts = await created();
  expect(payouts.map(({ amount }) => amount).toSorted((a, b) => a - b)).toEqual([40, ...amounts]);
  const perCommit = (of: string) => payouts.filter(({ commit }) => commit === of).length;
  expect(Math.max(...payouts.map(({ commit }) => perCommit(commit)))).toBeLessThanOrEqual(MAX_NEW_PAYOUTS);
  expect(await shop.balance()).toEqual({ EUR: [0, 0, total] });
  expect(await offences()).toEqual([]);
});

test("each step of a payout is in the audit log", async () => {
  const shop = await openShop();
  await shop.pay({ amount: 700 });
  await shop.settle();
  await shop.payOut();
  await shop.payOut();
  await shop.arrive();
  const rows = await db.sql`
    select action from audit_log where environment_id = ${shop.environmentId} and action like 'payout.%' order by id`;
  expect(rows.map(({ action }) => action)).toEqual(["payout.create", "payout.sent", "payout.paid"]);
});

test("the latest representable time finds nothing", async () => {
  const shop = await openShop();
  await shop.pay({ amount: 700 });
  await shop.settle();
  await shop.payOut();
  const last = "9999-12-31T23:59:59.999Z";
  for (const list of [listPayouts, listMovements, listSettlementBatches]) {
    expect((await list(shop.ctx, { created_after: last })).data).toEqual([]);
    expect((await list(shop.ctx, { created_before: "9999-12-31T23:59:59.9999Z" })).data).not.toEqual([]);
  }
  expect((await listTransactions(shop.ctx, { captured_after: last })).data).toEqual([]);
});

test("live money is paid out by the processor and stays available here", async () => {
  const shop = await openShop("live");
  await shop.pay({ amount: 700 });
  await shop.settle();
  await shop.payOut();
  expect(await shop.payouts()).toEqual([]);
  expect(await getBankAccount(shop.ctx)).toBeNull();
});

test("a payout's status never goes back, whatever statement writes it", async () => {
  const shop = await openShop();
  await shop.pay({ amount: 700 });
  await shop.settle();
  await shop.payOut();
  const owner = connect(url);
  const change = (
    status: string,
  ) => owner.sql`update payouts set status = ${status}, failure_reason = ${status === "FAILED" ? "x" : null}
    where environment_id = ${shop.environmentId}`;
  await expect(change("PAID")).rejects.toMatchObject({ code: "23514" });
  await expect(change("FAILED")).rejects.toMatchObject({ code: "23514" });
  await owner.close();
});

test("only the last digits of a bank account are stored, and new payouts go there", async () => {
  const shop = await openShop();
  expect(await getBankAccount(shop.ctx)).toMatchObject({ last4: "6789" });
  await updateBankAccount(shop.ctx, {
    holder: "Shop",
    bank_name: "Bank of Examples",
    country: "DE",
    account_number: "DE89 3704 0044 0532 0130 00",
  });
  expect(await getBankAccount(shop.ctx)).toEqual({
    holder: "Shop",
    bank_name: "Bank of Examples",
    country: "DE",
    last4: "3000",
  });
  const [row] = await db.sql`select * from bank_accounts where environment_id = ${shop.environmentId}`;
  // Any four digits may be part of an id or digest by chance.
  expect(JSON.stringify(row).replaceAll(" ", "")).not.toContain("370400440532");
  await shop.pay({ amount: 700 });
  await shop.settle();
  await shop.payOut();
  expect((await shop.payouts())[0]?.bank_account).toEqual({
    bank_name: "Bank of Examples",
    country: "DE",
    last4: "3000",
  });
});

test("another merchant's objects are not found", async () => {
  const [shop, otherMerchant] = [await openShop(), await openShop()];
  await shop.pay({ amount: 700 });
  await shop.settle();
  await shop.payOut();
  const [payout] = await shop.payouts();
  const id = payout?.id as string;
  for (const read of [getPayout, retryPayout]) {
    await expect(read(otherMerchant.ctx, { id })).rejects.toMatchObject({ code: "resource_not_found" });
  }
  const batch = payout?.settlement_batch_ids[0] as string;
  await expect(getSettlementBatch(otherMerchant.ctx, { id: batch })).rejects.toMatchObject({
    code: "resource_not_found",
  });
  expect(await otherMerchant.payouts()).toEqual([]);
  expect(await otherMerchant.balance()).toEqual({});
  await expect(listPayouts(otherMerchant.ctx, { starting_after: id })).rejects.toMatchObject({
    code: "invalid_parameter",
  });
});

test("hundreds of failing payouts do not delay the others", async () => {
  const [broken, shop] = [await openShop(), await openShop()];
  for (const each of [broken, shop]) {
    await each.pay({ amount: 500 });
    await each.settle();
  }
  await runPayouts(service);
  const { environmentId } = broken;
  const owner = connect(url, { max: 1 });
  try {
    await owner.sql`
      create function break_change() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`;
    await owner.sql.unsafe(`
      create trigger break_change before update on payouts for each row
        when (old.environment_id = '${environmentId}') execute function break_change()`);
    // All with the same time, which is before the other shop's payout.
    await owner.sql`
      insert into payouts select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()))).*
      from payouts p, generate_series(1, 250) where environment_id = ${environmentId}`;
    await owner.sql`update payouts set due_at = now() - interval '1 ms' where environment_id = ${shop.environmentId}`;
    await runPayouts(service);
    expect((await shop.payouts()).map(({ status }) => status)).toEqual(["IN_TRANSIT"]);
    expect(new Set((await broken.payouts()).map(({ status }) => status))).toEqual(new Set(["PENDING"]));
  } finally {
    await owner.sql`drop function break_change cascade`;
    await owner.sql`delete from payouts where environment_id = ${environmentId}`;
    await owner.close();
  }
});
