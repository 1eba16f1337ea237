import { expect, onTestFinished, test } from "vitest";
import { accountingReport } from "@/e2e/doubles/adyen/accounting-report";
import type { Payment } from "@/e2e/doubles/adyen/books";
import { adyenTenant } from "@/e2e/doubles/adyen/tenant";
import { testDatabase } from "@/e2e/fixtures/database";
import { encodeId } from "@/lib/contract/ids";
import type { StatementFile } from "@/lib/processor/records";
import { getReconciliation } from "./read-reconciliation";
import { listUnchecked, reconcile, reconcileNightly } from "./reconciliation";

const { db } = await testDatabase();
const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS);
const MANUAL = { capture_method: "manual" };

/** A merchant with Adyen connected, and a report of the hours around now. */
async function withReport() {
  const tenant = await adyenTenant(db, (stop) => onTestFinished(stop));
  const { double } = tenant;
  const [row] = await db.sql<{ id: string }[]>`
    select id from processor_connections where environment_id = ${tenant.environmentId}`;
  const connection = encodeId("connection", row?.id ?? "");
  // Three hours later, when no operation is in progress.
  const service = { ...tenant.service, clock: { now: () => inHours(3) } };
  const report = (over: Partial<Parameters<typeof accountingReport>[1]> = {}) =>
    accountingReport(double, { from: inHours(-3), until: inHours(2), ...over });
  const compare = (files: StatementFile[] = [report()], since = inHours(-4)) =>
    reconcile(service, { connectionId: connection, since, files });
  /** The latest payment, as Adyen has it. */
  const atAdyen = () => [...double.books.payments.values()].at(-1) as Payment;
  const refunded = async (body: object = {}, amount = 1_000, number?: string) => {
    const { body: payment } = await tenant.pay(body, number);
    await tenant.act("refund", payment.id, { amount });
    await tenant.decide();
    return payment;
  };
  return { ...tenant, books: double.books, service, connection, report, compare, atAdyen, refunded };
}

const kindsOf = ({ differences }: { differences: readonly { kind: string; object: string }[] }) =>
  differences.map(({ kind, object }) => `${kind} ${object}`).toSorted();
const clean = { under_way: 0, difference_count: 0, differences: [], unchecked: [] };

test("both books agree after charges, partial captures, voids, declines, and returned refunds", async () => {
  const { pay, act, decide, books, post, double, compare, refunded, connection, environmentId, owner } =
    await withReport();
  await refunded({}, 2_500);
  const { body: held } = await pay(MANUAL);
  await act("capture", held.id, { amount: 4_000 });
  const { body: voided } = await pay(MANUAL);
  await act("void", voided.id);
  await pay({ amount: 300, currency: "JPY" });
  await pay({ amount: 12_345, currency: "BHD" });
  await pay({ amount: 700, currency: "CLP" });
  await pay({}, "4000000000009995");
  await decide();
  await refunded({}, 4_000, "4000000000005126");
  books.giveBack();
  for (const body of double.messages()) expect(await post(body)).toBe(true);
  expect(await compare()).toMatchObject({ label: "Adyen", payments: 8, refunds: 2, ...clean });
  // The run is stored like any other, up to the report's end, and contains no card data.
  const { shown } = await getReconciliation(owner(), { connection });
  expect(shown).toMatchObject({ state: "done", reason: "command", payments: 8, refunds: 2, ...clean });
  expect(Math.abs(Date.parse(shown?.until ?? "") - inHours(2).getTime())).toBeLessThan(60_000);
  const kept = await db.sql`select * from reconciliation_runs where environment_id = ${environmentId}`;
  expect(JSON.stringify(kept)).not.toMatch(/4242|5126/);
});

test("each kind of difference is reported once, for payments and refunds", async () => {
  const { pay, act, decide, books, compare, atAdyen, refunded } = await withReport();
  const take = (kind: "cancel" | "refund", value: number) => {
    const payment = atAdyen();
    books.take({ kind, payment, reference: "by hand", amount: { value, currency: "USD" } });
    books.decide();
  };
  const { body: released } = await pay(MANUAL);
  take("cancel", 10_000);
  const { body: refundedThere } = await pay();
  take("refund", 300);
  // Its message never arrives; otherwise it would be booked.
  books.events.pop();
  const { body: capturedElse } = await pay(MANUAL);
  await act("capture", capturedElse.id, { amount: 4_000 });
  await decide();
  Object.assign(books.modifications.at(-1) as object, { amount: { value: 3_900, currency: "USD" } });
  const refundGone = await refunded();
  books.modifications.pop();
  const cameBack = await refunded({}, 1_000, "4000000000005126");
  books.giveBack();
  const { body: gone } = await pay();
  books.payments.delete(atAdyen().psp);
  const { body: twice } = await pay();
  const { psp: _, ...same } = atAdyen();
  books.payment(same);
  books.payment({ ...same, reference: "Order 8", amount: { value: 500, currency: "USD" } });

  const found = await compare();
  const told = (payment: { id: string }) => kindsOf({ differences: of(payment) });
  const of = (payment: { id: string }) => found.differences.filter(({ payment_id }) => payment_id === payment.id);
  expect(told(released)).toEqual(["states_differ payment"]);
  expect(told(refundedThere)).toEqual(["amounts_differ payment"]);
  expect(told(capturedElse)).toEqual(["amounts_differ payment"]);
  expect(of(capturedElse)).toMatchObject([{ there: "Captured, $100.00 USD, $39.00 USD captured" }]);
  expect(told(refundGone)).toEqual(["amounts_differ payment", "only_here refund"]);
  expect(told(cameBack)).toEqual(["amounts_differ payment", "states_differ refund"]);
  expect(told(gone)).toEqual(["only_here payment"]);
  expect(told(twice)).toEqual(["only_there payment"]);
  expect(of(twice)[0]?.advice).toContain("paid twice");
  const foreign = found.differences.filter(({ payment_id }) => payment_id === null);
  expect(kindsOf({ differences: foreign })).toEqual(["only_there payment", "only_there refund"]);
  expect(new Set(foreign.map(({ there }) => there))).toEqual(
    new Set(["Captured, $5.00 USD", "Refund pending, $3.00 USD"]),
  );
  expect(found).toMatchObject({ difference_count: 11, under_way: 0, unchecked: [] });
  expect(of(released)[0]?.url).toContain("ca-test.adyen.com");
});

test("entries outside the report's certain period are no differences but are mentioned: before it, after it, or within an hour of its ends", async () => {
  const { pay, compare, report, books, connection, service } = await withReport();
  await pay();
  await pay(MANUAL);
  books.payments.clear();
  const beyond = /^2 of Cardlane's payments and refunds are not in the report, and may fall outside its period/;
  for (const [from, until] of [
    [1, 2],
    [0.2, 2],
    [-0.5, 2],
    [-3, -2],
    [-3, 0.5],
  ] as const) {
    const found = await compare([report({ from: inHours(from), until: inHours(until) })]);
    expect(found).toMatchObject({ payments: 0, under_way: 0, difference_count: 0 });
    expect(found.unchecked).toEqual([expect.stringMatching(beyond)]);
    expect(found.unchecked[0]).toContain(until - from > 2 ? "it certainly covers" : "too short to be certain");
  }
  const said = (await listUnchecked(service)).filter((sentence) => sentence.includes(connection));
  expect(said).toEqual([expect.stringContaining("2 of Cardlane's payments and refunds are not in the report")]);
  expect(kindsOf(await compare())).toEqual(["only_here payment", "only_here payment"]);
});

test("of a payment older than the report only its capture is compared", async () => {
  const { pay, act, decide, books, compare, report } = await withReport();
  const { body: held } = await pay(MANUAL);
  await act("capture", held.id, { amount: 4_000 });
  await pay({ amount: 500 });
  await decide();
  await act("refund", held.id, { amount: 1_000 });
  await decide();
  const bookedAt = (type: string) => inHours(["Received", "Authorised"].includes(type) ? -3.5 : 0);
  const since = () => compare([report({ bookedAt })]);
  expect(await since()).toMatchObject({ payments: 2, refunds: 1, difference_count: 0, unchecked: [] });
  const capture = books.modifications.find(({ kind }) => kind === "capture");
  Object.assign(capture as object, { amount: { value: 4_100, currency: "USD" } });
  const { differences } = await since();
  expect(differences).toMatchObject([
    { kind: "amounts_differ", payment_id: held.id, there: "Since the report begins: captured, $41.00 USD" },
  ]);
});

test("changes in Cardlane after the report are compared with a later one, and a settlement is not a change", async () => {
  const { refunded, books, compare, environmentId, atAdyen } = await withReport();
  await refunded();
  books.modifications.pop();
  atAdyen().refunded = 0;
  await db.sql`update payments set updated_at = now() + interval '90 minutes' where environment_id = ${environmentId}`;
  expect(kindsOf(await compare())).toEqual(["amounts_differ payment", "only_here refund"]);
  await db.sql`update operations set completed_at = now() + interval '90 minutes'
    where environment_id = ${environmentId} and kind = 'refund'`;
  expect(await compare()).toMatchObject({
    payments: 0,
    refunds: 0,
    under_way: 2,
    difference_count: 0,
    unchecked: [expect.stringMatching(/^2 payments and refunds changed after .* Compare them with a later report\.$/)],
  });
});

test("an unreadable file, or one of another period, is rejected with a remedy, and nothing of it is stored", async () => {
  const { compare, report, connection, owner } = await withReport();
  const refused = (asked: Promise<unknown>, sentence: string) =>
    expect(asked).rejects.toMatchObject({ code: "invalid_parameter", message: expect.stringContaining(sentence) });
  await refused(compare([{ name: "r.csv", bytes: new Uint8Array() }]), "r.csv is empty");
  await refused(compare([report()], inHours(2.5)), "and the comparison about another");
  expect((await getReconciliation(owner(), { connection })).runs).toEqual([]);
});

test("a nightly run without a list does not hide the report's findings", async () => {
  const { pay, compare, books, connection, owner, service } = await withReport();
  const runs = async () => (await getReconciliation(owner(), { connection })).runs;
  const said = async () => (await listUnchecked(service)).filter((sentence) => sentence.includes(connection));
  await pay();
  expect(await said()).toEqual([expect.stringMatching(/never compared.*--since DATE --report FILE\.csv\.$/)]);
  await reconcileNightly(service);
  expect(await runs()).toMatchObject([{ reason: "night", payments: 0 }]);
  books.payments.clear();
  await compare();
  await db.sql`update reconciliation_runs set night = null`;
  await reconcileNightly(service);
  expect(await runs()).toMatchObject([{ reason: "command", difference_count: 1 }, { payments: 0 }]);
  expect(await said()).toEqual([expect.stringContaining("1 difference found")]);
});
