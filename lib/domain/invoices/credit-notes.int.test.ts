import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { type SubscriptionTenant, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { createTestUser } from "@/e2e/fixtures/users";
import { decodeId } from "@/lib/contract/ids";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import { includedTax } from "@/lib/contract/invoices/tax";
import { seededRandom } from "@/lib/seeded-random";
import { processReports } from "../payments/process-reports";
import { type DocumentSettings, getDocumentSettings, updateDocuments } from "../receipts/document-settings";
import { findReceiptByToken, getReceiptPath } from "../receipts/receipts";
import { verifyBooks } from "../reconciliation/verify-books";
import { findOfInvoice, findOfReceipt } from "./credit-notes";
import { openInvoice, presentHosted } from "./hosted-invoice";

const { db } = await testDatabase();

const VAT = { tax_name: "VAT", tax_percentage: "19", locale: "de" } as const;

/** Its refunds are returned later, when their report is due. */
const RETURNS_REFUNDS = { number: "4000000000005126", exp_month: 12, exp_year: 2040, cvv: "123" };

type Tenant = Pick<MoneyTenant, "service" | "merchant" | "environmentId">;

async function settings({ service, merchant }: Tenant, to: DocumentSettings) {
  const user = await createTestUser(db, { merchantId: merchant.id, role: "owner" });
  return updateDocuments(testContext(service, merchant.test, { actor: { type: "user", id: user.id } }), to);
}

type Note = { number: number; amount: number; tax_amount: number | null; voided: boolean };

const notesOf = ({ environmentId }: Tenant) =>
  db.sql<Note[]>`
    select number, amount::float8, tax_amount::float8, voided_at is not null as voided from credit_notes
    where environment_id = ${environmentId} order by number`;

async function expectCleanBooks() {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

const tokenOf = async ({ service, merchant }: Tenant, id: string) =>
  (await getReceiptPath(testContext(service, merchant.test), { id })).slice("/receipt/".length);

/** A subscription's first invoice, paid. */
async function paidInvoice(tenant: SubscriptionTenant, price = 1_999) {
  const body = { plan_id: await tenant.plan({ full_price: price }), payment_method_id: await tenant.card() };
  const subscription = (await tenant.create(body)).body;
  const [invoice] = await tenant.invoices(subscription.id);
  if (!invoice) throw new Error("no invoice");
  return { subscription, invoice, paymentId: decodeId("payment", invoice.payment_ids[0] ?? "") ?? "" };
}

async function opened(tenant: SubscriptionTenant, { hosted_url }: Invoice) {
  const found = await openInvoice(tenant.service, hosted_url?.split("/").at(-1) ?? "");
  if (!found) throw new Error("no such invoice");
  return found;
}

test("the database and the pages compute the same tax, half-even, of any amount and rate", async () => {
  const random = seededRandom(3);
  const cases = Array.from({ length: 2_000 }, (_, i) => ({
    place: i,
    gross: Math.floor((random() - 0.2) * 10 ** (1 + (i % 12))),
    rate: i % 3 === 0 ? 100_000 : 1 + Math.floor(random() * 100_000),
  }));
  const rows = await db.sql<{ tax: number }[]>`
    select included_tax(c.gross, c.rate)::float8 as tax
    from jsonb_to_recordset(${cases as never}::jsonb) as c (place int, gross bigint, rate int) order by c.place`;
  expect(rows.map(({ tax }) => tax)).toEqual(cases.map(({ gross, rate }) => includedTax(gross, rate)));
});

test("a receipt keeps the tax of the moment of its capture, whatever the setting is later", async () => {
  const tenant = await moneyTenant(db);
  const taxOf = async (id: string) => {
    const receipt = await findReceiptByToken(tenant.service, await tokenOf(tenant, id));
    return receipt?.tax && { ...receipt.tax, locale: receipt.locale };
  };
  const untaxed = (await tenant.create({ amount: 11_900 })).body.id;
  const held = (await tenant.create({ amount: 11_900, capture_method: "manual" })).body.id;
  await settings(tenant, VAT);
  const taxed = (await tenant.create({ amount: 11_900 })).body.id;
  await tenant.act("capture", held, { amount: 5_950 });
  await settings(tenant, { tax_name: "MwSt", tax_percentage: "8.125", locale: "fr" });
  const later = (await tenant.create({ amount: 10_000 })).body.id;
  await settings(tenant, { tax_name: "", tax_percentage: "", locale: "fr" });
  const vat = { name: "VAT", rate: 19_000, locale: "fr" };
  expect(await taxOf(untaxed)).toBeNull();
  expect(await taxOf(taxed)).toEqual({ ...vat, net: 10_000, amount: 1_900 });
  expect(await taxOf(held)).toEqual({ ...vat, net: 5_000, amount: 950 });
  expect(await taxOf(later)).toEqual({ ...vat, name: "MwSt", rate: 8_125, net: 9_249, amount: 751 });
  const refused = db.sql`update payments set tax_rate = 1 where environment_id = ${tenant.environmentId} and id = ${decodeId("payment", taxed)}`;
  await expect(refused).rejects.toThrow("keeps its tax");
});

test("the setting is one mode's, is in the activity log, and a change to the same is none", async () => {
  const tenant = await moneyTenant(db);
  await settings(tenant, VAT);
  await settings(tenant, VAT);
  const ctx = testContext(tenant.service, tenant.merchant.test);
  expect(await getDocumentSettings(ctx)).toEqual(VAT);
  const live = testContext(tenant.service, tenant.merchant.live);
  expect(await getDocumentSettings(live)).toEqual({ tax_name: "", tax_percentage: "", locale: "en" });
  const acts = await db.sql`select detail -> 'changes' as changes from audit_log
    where action = 'settings.documents_updated' and object_id = ${tenant.environmentId}`;
  expect([...acts]).toEqual([{ changes: { tax: [null, "VAT 19%"], document_locale: ["English", "Deutsch"] } }]);
});

test("each refund has a document with its tax part, and the parts add up to the tax of the receipt", async () => {
  const tenant = await moneyTenant(db);
  await settings(tenant, VAT);
  const { id } = (await tenant.create({ amount: 10_000 })).body;
  for (const amount of [3_333, 1, 2, 3_333, 3_331]) await tenant.act("refund", id, { amount });
  const notes = await notesOf(tenant);
  expect(notes.map(({ number, amount }) => [number, amount])).toEqual([
    [1, 3_333],
    [2, 1],
    [3, 2],
    [4, 3_333],
    [5, 3_331],
  ]);
  expect(notes.reduce((sum, { tax_amount }) => sum + (tax_amount ?? 0), 0)).toBe(includedTax(10_000, 19_000));
  const token = await tokenOf(tenant, id);
  const receipt = await findReceiptByToken(tenant.service, token);
  expect(receipt?.refunds.map(({ credit_note }) => credit_note)).toEqual([1, 2, 3, 4, 5].map((n) => `CN-00000${n}`));
  expect(await findOfReceipt(tenant.service, token, "CN-000001")).toMatchObject({
    of: { kind: "receipt", number: receipt?.number },
    amount: 3_333,
    tax: { name: "VAT", rate: 19_000, net: 2_801, amount: 532 },
    locale: "de",
  });
  for (const other of ["CN-000006", "CN-1", "CN-0000001", ""])
    expect(await findOfReceipt(tenant.service, token, other)).toBeNull();
  await expectCleanBooks();
});

test("numbers have no gaps among concurrent refunds, of which some are refused", async () => {
  const tenant = await moneyTenant(db);
  await settings(tenant, VAT);
  const payments = await Promise.all(Array.from({ length: 6 }, () => tenant.create({ amount: 1_000 })));
  const answers = await Promise.all(
    payments.flatMap(({ body }) => Array.from({ length: 5 }, () => tenant.act("refund", body.id, { amount: 300 }))),
  );
  const made = answers.filter(({ status }) => status === 201).length;
  expect(made).toBe(6 * 3);
  expect((await notesOf(tenant)).map(({ number }) => number)).toEqual(Array.from({ length: made }, (_, i) => i + 1));
  await expectCleanBooks();
});

test("a process that dies at the credit note leaves the refund open, and recovery writes both with no gap", async () => {
  const tenant = await moneyTenant(db);
  await settings(tenant, VAT);
  const first = (await tenant.create()).body.id;
  await tenant.act("refund", first, { amount: 100 });
  await db.sql.unsafe(`
    create function die_at_credit_note() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$;
    create trigger die_at_credit_note before insert on credit_notes for each row
    when (new.environment_id = '${tenant.environmentId}') execute function die_at_credit_note()`);
  try {
    await expect(tenant.act("refund", first, { amount: 200 })).rejects.toThrow("killed");
  } finally {
    await db.sql.unsafe("drop trigger die_at_credit_note on credit_notes; drop function die_at_credit_note()");
  }
  expect(await tenant.get(first)).toMatchObject({ amount_refunded: 100, amount_refundable: 9_700 });
  expect(await notesOf(tenant)).toHaveLength(1);
  await tenant.endLeases();
  await tenant.complete();
  expect(await tenant.get(first)).toMatchObject({ amount_refunded: 300 });
  expect((await notesOf(tenant)).map(({ number, amount }) => [number, amount])).toEqual([
    [1, 100],
    [2, 200],
  ]);
  await expectCleanBooks();
});

test("a refund that the bank returns makes its document void, and later parts still add up", async () => {
  const tenant = await moneyTenant(db);
  await settings(tenant, VAT);
  const { id } = (await tenant.create({ amount: 1_000, card: RETURNS_REFUNDS })).body;
  await tenant.act("refund", id, { amount: 333 });
  await db.sql`update sandbox_processor.reports set due_at = now() - interval '1 ms' where account = ${tenant.environmentId}`;
  await processReports(tenant.service);
  const token = await tokenOf(tenant, id);
  expect(await findOfReceipt(tenant.service, token, "CN-000001")).toMatchObject({ voided_at: expect.any(String) });
  expect((await findReceiptByToken(tenant.service, token))?.refunds).toEqual([]);
  await tenant.act("refund", id, { amount: 333 });
  await tenant.act("refund", id);
  const notes = await notesOf(tenant);
  expect(notes.map(({ number, voided }) => [number, voided])).toEqual([
    [1, true],
    [2, false],
    [3, false],
  ]);
  const live = notes.filter(({ voided }) => !voided);
  expect(live.reduce((sum, { tax_amount }) => sum + (tax_amount ?? 0), 0)).toBe(includedTax(1_000, 19_000));
  await expectCleanBooks();
});

/** Lets the bank return the n-th refund, and no other. */
async function returnRefund({ service, environmentId }: Tenant, number: number) {
  await db.sql`
    update sandbox_processor.reports r
    set due_at = case when n.number = ${number} then now() - interval '1 ms' else now() + interval '30 s' end
    from operations o join credit_notes n on n.environment_id = o.environment_id and n.id = o.transaction_id
    where o.environment_id = ${environmentId} and r.reference = o.id and r.applied_at is null`;
  await processReports(service);
}

test("a small refund after a returned one has no negative tax, and the last one makes up for it", async () => {
  const tenant = await moneyTenant(db);
  await settings(tenant, VAT);
  const { id } = (await tenant.create({ amount: 10, card: RETURNS_REFUNDS })).body;
  await tenant.act("refund", id, { amount: 3 });
  await tenant.act("refund", id, { amount: 1 });
  await returnRefund(tenant, 1);
  await tenant.act("refund", id, { amount: 1 });
  await tenant.act("refund", id);
  expect((await notesOf(tenant)).map(({ amount, tax_amount, voided }) => [amount, tax_amount, voided])).toEqual([
    [3, 0, true],
    [1, 1, false],
    [1, 0, false],
    [8, 1, false],
  ]);
  await expectCleanBooks();
});

test("whatever is refunded and returned, each tax is within its refund and all add up to the payment's", async () => {
  const tenant = await moneyTenant(db);
  await settings(tenant, { ...VAT, tax_percentage: "77.777" });
  const random = seededRandom(11);
  const { id } = (await tenant.create({ amount: 29, card: RETURNS_REFUNDS })).body;
  for (let step = 0; step < 40; step++) {
    const notes = await notesOf(tenant);
    const live = notes.filter(({ voided }) => !voided);
    const left = 29 - live.reduce((sum, { amount }) => sum + amount, 0);
    const returned = live[Math.floor(random() * live.length)];
    if (returned && (left === 0 || random() < 0.35)) await returnRefund(tenant, returned.number);
    else await tenant.act("refund", id, { amount: 1 + Math.floor(random() * Math.min(left, 4)) });
  }
  if ((await tenant.get(id)).amount_refundable > 0) await tenant.act("refund", id);
  const notes = await notesOf(tenant);
  expect(notes.filter(({ voided }) => voided).length).toBeGreaterThan(8);
  for (const { amount, tax_amount } of notes) {
    expect(tax_amount).toBeGreaterThanOrEqual(0);
    expect(tax_amount).toBeLessThanOrEqual(amount);
  }
  const live = notes.filter(({ voided }) => !voided);
  expect(live.reduce((sum, { tax_amount }) => sum + (tax_amount ?? 0), 0)).toBe(includedTax(29, 77_777));
  await expectCleanBooks();
});

test("an invoice keeps its tax, its payment has the same, and its refunds are credit notes for its number", async () => {
  const tenant = await subscriptionTenant(db);
  await settings(tenant, { ...VAT, locale: "es" });
  const { invoice, paymentId } = await paidInvoice(tenant);
  expect(invoice.tax).toEqual({ name: "VAT", percentage: 19, net: 1_680, amount: 319 });
  await settings(tenant, { tax_name: "GST", tax_percentage: "5.5", locale: "es" });
  expect((await tenant.invoice(invoice.id)).tax).toEqual(invoice.tax);
  const second = await paidInvoice(tenant);
  expect(second.invoice.tax).toMatchObject({ name: "GST", percentage: 5.5 });
  expect((await tenant.refund(paymentId)).status).toBe(201);
  const found = await opened(tenant, invoice);
  expect(await presentHosted(tenant.service, found)).toMatchObject({
    locale: "es",
    tax: { rate: 19_000, amount: 319 },
    credit_notes: [{ number: "CN-000001", amount: 1_999, voided_at: null }],
  });
  expect(await findOfInvoice(tenant.service, found, "CN-000001")).toMatchObject({
    of: { kind: "invoice", number: "INV-000001" },
    tax: { name: "VAT", rate: 19_000, net: 1_680, amount: 319 },
    locale: "es",
  });
  // A number of another invoice is not found below this one.
  expect(await findOfInvoice(tenant.service, await opened(tenant, second.invoice), "CN-000001")).toBeNull();
  await expectCleanBooks();
});

test("an invoice that was open when the tax changed is paid and refunded at its own tax", async () => {
  const tenant = await subscriptionTenant(db);
  await settings(tenant, VAT);
  const body = { plan_id: await tenant.plan(), payment_method_id: await tenant.card("4000000000007205") };
  const subscription = (await tenant.create(body)).body;
  await tenant.travel("2026-02-28T10:00:00.000Z");
  await tenant.travel("2026-03-31T10:00:00.000Z");
  const late = (await tenant.invoices(subscription.id)).at(-1);
  expect(late).toMatchObject({ status: "OPEN", tax: { percentage: 19 } });
  await settings(tenant, { tax_name: "", tax_percentage: "", locale: "de" });
  const paid = await tenant.pay(late?.id ?? "", { payment_method_id: await tenant.card() });
  expect(paid.body).toMatchObject({ status: "PAID", tax: { name: "VAT", percentage: 19, amount: 319 } });
  await tenant.refund(decodeId("payment", paid.body.payment_ids.at(-1)) ?? "");
  expect(await notesOf(tenant)).toMatchObject([{ number: 1, amount: 1_999, tax_amount: 319 }]);
  await expectCleanBooks();
});
