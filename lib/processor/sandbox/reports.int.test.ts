import { expect, test } from "vitest";
import { testProcessor } from "@/e2e/fixtures/sandbox-processor";
import { inquiry } from "@/e2e/fixtures/scripted-processor";
import { BEFORE_ALL } from "@/lib/ids";

const { processor, sql, authorization, followUp, stored } = await testProcessor();
const { reports } = processor;
if (reports.kind !== "pulled") throw new Error("the sandbox is polled for reports");

async function acceptedRefunds(amounts: number[]) {
  const charge = await authorization("4000000000005126", { capture: true });
  await processor.authorize(charge);
  const refunds = amounts.map((amount) => followUp(charge, amount));
  for (const refund of refunds) expect(await processor.refund(refund)).toEqual({ kind: "approved" });
  return { charge, references: refunds.map((refund) => refund.reference) };
}
const makeDue = (references: string[]) =>
  sql`update sandbox_processor.reports set due_at = now() - interval '1 ms' where reference in ${sql(references)}`;
const reported = async (references: string[]) =>
  (await reports.list(1_000, BEFORE_ALL)).filter((report) => references.includes(report.reference));

test("an accepted refund fails five seconds later by the database's clock, and the money is restored", async () => {
  const { charge, references } = await acceptedRefunds([4_000]);
  const [report] = await sql`
    select extract(epoch from r.due_at - o.created_at)::float as seconds
    from sandbox_processor.reports r join sandbox_processor.operations o using (reference)
    where reference in ${sql(references)}`;
  expect(report?.seconds).toBe(5);
  expect(await reported(references)).toEqual([]);
  expect(await processor.inquire(inquiry(references[0] as string))).toEqual({ kind: "approved" });
  expect(await stored(charge)).toMatchObject({ amount_refunded: 4_000 });

  await makeDue(references);
  const [reference] = references;
  expect(await reported(references)).toEqual([{ id: reference, reference, account: charge.account }]);
  expect(await processor.inquire(inquiry(references[0] as string))).toEqual({ kind: "declined", decline_code: null });
  expect(await stored(charge)).toMatchObject({ amount_captured: 10_000, amount_refunded: 0 });
});

test("a report is redelivered until it is acknowledged, and its money is restored once", async () => {
  const { charge, references } = await acceptedRefunds([1_000, 2_000]);
  await makeDue(references.slice(0, 1));
  expect(await reported(references)).toHaveLength(1);
  expect(await reported(references)).toHaveLength(1);
  expect(await stored(charge)).toMatchObject({ amount_refunded: 2_000 });
  await reports.acknowledge(references[0] as string);
  expect(await reported(references)).toEqual([]);
  expect(await stored(charge)).toMatchObject({ amount_refunded: 2_000 });
});

test("a report cannot be acknowledged before it was made", async () => {
  const { references } = await acceptedRefunds([1_000]);
  await reports.acknowledge(references[0] as string);
  await makeDue(references);
  expect(await reported(references)).toHaveLength(1);
});

test("many refunds of many charges, failed by concurrent processes, are each restored once", async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => acceptedRefunds([1_000, 2_000, 3_000])));
  const references = made.flatMap((one) => one.references);
  await makeDue(references);
  await Promise.all(Array.from({ length: 16 }, () => reports.list(1_000, BEFORE_ALL)));
  expect(await reported(references)).toHaveLength(24);
  for (const { charge } of made) expect(await stored(charge)).toMatchObject({ amount_refunded: 0 });
});

test("refunds on any other card are not reported", async () => {
  const charge = await authorization("4242424242424242", { capture: true });
  await processor.authorize(charge);
  const refund = followUp(charge, 1_000);
  await processor.refund(refund);
  const rows = await sql`select 1 from sandbox_processor.reports where reference = ${refund.reference}`;
  expect(rows).toHaveLength(0);
});

test("an account's reports do not delay another's: accounts take turns", async () => {
  const amounts = Array.from({ length: 12 }, () => 100);
  const [large, small] = [await acceptedRefunds(amounts), await acceptedRefunds([100])];
  await makeDue(small.references);
  await sql`update sandbox_processor.reports set due_at = now() - interval '1 hour' where account = ${large.charge.account}`;
  const [first, second] = [large, small].toSorted((a, b) => (a.charge.account < b.charge.account ? -1 : 1));
  const accounts = async (limit: number, after: string) =>
    (await reports.list(limit, after)).map(({ account }) => account);
  const before = (id: string) => {
    const hex = (BigInt(`0x${id.replaceAll("-", "")}`) - 1n).toString(16).padStart(32, "0");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  };
  const all = await reports.list(1_000, BEFORE_ALL);
  const own = all.filter(({ account }) => [large, small].some(({ charge }) => charge.account === account));
  expect(own.map(({ account }) => account)).toEqual([
    ...Array.from({ length: first === large ? 10 : 1 }, () => first?.charge.account),
    ...Array.from({ length: second === large ? 10 : 1 }, () => second?.charge.account),
  ]);
  expect((await accounts(1, before(second?.charge.account as string)))[0]).toBe(second?.charge.account);
  expect(await accounts(1_000, second?.charge.account as string)).not.toContain(second?.charge.account);
});
