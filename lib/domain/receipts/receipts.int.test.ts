import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { listEnvironmentsToRead } from "@/db/queries/receipts";
import { codeOf, DECLINED, openShop } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, testContext } from "@/e2e/fixtures/factories";
import { copyTransaction, type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { createTestUser, mailsTo } from "@/e2e/fixtures/users";
import { decodeId } from "@/lib/contract/ids";
import { MAX_REFUNDS } from "@/lib/contract/payments/payment";
import { receiptNumber } from "@/lib/contract/receipts/receipts";
import type { Context } from "@/lib/domain/context";
import { processReports } from "@/lib/domain/payments/process-reports";
import { receiptOfSession } from "@/lib/http/checkout-page";
import { provideService } from "@/lib/http/current-service";
import { getReceiptSettings, mailReceipts, sendReceipt, updateReceipts } from "./mail-receipts";
import { findReceiptByToken, getReceiptPath } from "./receipts";

const { db } = await testDatabase();
const HERE = { leaves: false };
const AWAY = { leaves: true };

const mailbox = () => `${randomUUID()}@customers.example`;

/** A tenant with its owner as the caller. */
async function tenant() {
  const made = await moneyTenant(db);
  const user = await createTestUser(db, { merchantId: made.merchant.id, role: "owner" });
  const ctx = (overrides: Partial<Context> = {}) =>
    testContext(made.service, made.merchant.test, { actor: { type: "user", id: user.id }, ...overrides });
  return { ...made, user, ctx };
}
type Tenant = Awaited<ReturnType<typeof tenant>>;

/**
 * Other test files share the server: a transaction that began before an event was committed holds the event
 * back while it runs. Filling a table with 100,000 rows takes a busy machine 15 seconds.
 */
const UNTIL_READABLE = { timeout: 60_000, interval: 20 };

/** Waits until all committed events of an environment are readable. */
async function untilReadable({ environmentId }: Pick<MoneyTenant, "environmentId">): Promise<void> {
  const heldBack = () => db.sql`
    select 1 from events where environment_id = ${environmentId} and xid >= pg_snapshot_xmin(pg_current_snapshot())`;
  await expect.poll(heldBack, UNTIL_READABLE).toHaveLength(0);
}

const switchOn = ({ ctx }: Tenant, on: { on_capture?: boolean; on_refund?: boolean }) => updateReceipts(ctx(), on);

/** Processes everything that is committed. */
async function work({ service, environmentId }: Pick<MoneyTenant, "service" | "environmentId">, route = HERE) {
  await expect
    .poll(async () => {
      await mailReceipts(service, route);
      const [row] = await db.sql<{ left: number }[]>`
        select count(*)::int as left from events e join receipt_settings s using (environment_id)
        where environment_id = ${environmentId} and (s.captured_since is not null or s.refunded_since is not null)
          and (e.xid, e.id) > (s.read_xid, s.read_id)`;
      return row?.left;
    }, UNTIL_READABLE)
    .toBe(0);
}

const tokenOf = async (tenant: Tenant, id: string) =>
  (await getReceiptPath(tenant.ctx(), { id })).slice("/receipt/".length);

test("while switched on, each capture is mailed once by two concurrent jobs; before and after, none", async () => {
  const shop = await tenant();
  const [before, during, after] = [mailbox(), mailbox(), mailbox()];
  await shop.create({ customer_email: before });
  await switchOn(shop, { on_capture: true });
  const made = await Promise.all(Array.from({ length: 5 }, () => shop.create({ customer_email: during })));
  await Promise.all([mailReceipts(shop.service, HERE), mailReceipts(shop.service, HERE)]);
  await Promise.all([work(shop), work(shop)]);
  await switchOn(shop, { on_capture: false });
  await shop.create({ customer_email: after });
  await switchOn(shop, { on_capture: true });
  await work(shop);
  expect(await mailsTo(db, before)).toEqual([]);
  expect(await mailsTo(db, after)).toEqual([]);
  const mails = await mailsTo(db, during);
  expect(mails).toHaveLength(5);
  for (const { body } of made) {
    const number = receiptNumber(body.id);
    const [mail, ...more] = mails.filter((one) => one.body.includes(number));
    expect(more).toEqual([]);
    expect(mail?.subject).toBe("[Test] Receipt from Test merchant: $100.00 USD");
    expect(mail?.body).toContain(`http://cardlane.test/receipt/${await tokenOf(shop, body.id)}`);
    expect(mail?.body).toContain("Visa •••• 4242");
  }
});

test("a mail whose commit was lost is written again, and one that was written is not", async () => {
  const shop = await tenant();
  const to = mailbox();
  await switchOn(shop, { on_capture: true });
  await shop.create({ customer_email: to });
  await shop.create({ customer_email: to });
  // Dies between the two environments' mails.
  let reads = 0;
  const dying = {
    ...shop.service,
    get baseUrl(): string {
      reads += 1;
      if (reads >= 2) throw new Error("killed");
      return shop.service.baseUrl;
    },
  };
  await untilReadable(shop);
  await mailReceipts(dying, HERE);
  expect(reads).toBe(2);
  expect(await mailsTo(db, to)).toEqual([]);
  await work(shop);
  expect(await mailsTo(db, to)).toHaveLength(2);
  // Simulates the restore of an older copy of the position alone.
  await db.sql`update receipt_settings set read_xid = captured_since, read_id = '00000000-0000-0000-0000-000000000000'
    where environment_id = ${shop.environmentId}`;
  await work(shop);
  expect(await mailsTo(db, to)).toHaveLength(2);
});

test("refunds are mailed separately, each with its own amount; failed captures, voids and declines never", async () => {
  const shop = await tenant();
  const [to, other] = [mailbox(), mailbox()];
  const paid = (await shop.create({ customer_email: to })).body;
  await switchOn(shop, { on_refund: true });
  await shop.act("refund", paid.id, { amount: 1_500, reason: "RETURN" });
  await shop.act("refund", paid.id, { amount: 500, reason: "RETURN" });
  const held = (await shop.create({ customer_email: other, capture_method: "manual" })).body;
  await shop.act("void", held.id);
  await shop.create({
    customer_email: other,
    card: { number: "4000000000000002", exp_month: 1, exp_year: 2040, cvv: "123" },
  });
  await work(shop);
  expect((await mailsTo(db, to)).map(({ subject }) => subject).toSorted()).toEqual([
    "[Test] Refund from Test merchant: $15.00 USD",
    "[Test] Refund from Test merchant: $5.00 USD",
  ]);
  const token = await tokenOf(shop, paid.id);
  for (const number of ["CN-000001", "CN-000002"]) {
    const [mail, ...more] = (await mailsTo(db, to)).filter(({ body }) => body.includes(number));
    expect(more).toEqual([]);
    expect(mail?.body).toContain(`View and print your refund receipt ${number}:`);
    expect(mail?.body).toContain(`http://cardlane.test/receipt/${token}/credit-note/${number}`);
  }
  expect(await mailsTo(db, other)).toEqual([]);
});

test("a refund that fails after its mail is mailed once more; one that was never mailed is not", async () => {
  const shop = await tenant();
  const [to, quick, unread] = [mailbox(), mailbox(), mailbox()];
  const comesBack = { card: { number: "4000000000005126", exp_month: 1, exp_year: 2040, cvv: "123" } };
  const refundOf = async (customer_email: string) => {
    const { body } = await shop.create({ customer_email, ...comesBack });
    await shop.act("refund", body.id, { amount: 1_500 });
  };
  const returnAll = async () => {
    await db.sql`update sandbox_processor.reports set due_at = now() - interval '1 s'
      where reference in (select id from operations where environment_id = ${shop.environmentId})`;
    await processReports(shop.service);
  };
  await refundOf(unread);
  await switchOn(shop, { on_refund: true });
  await refundOf(to);
  await work(shop);
  await refundOf(quick);
  await returnAll();
  await work(shop);
  expect((await mailsTo(db, to)).map(({ subject }) => subject).toSorted()).toEqual([
    "[Test] Refund from Test merchant: $15.00 USD",
    "[Test] Refund returned from Test merchant: $15.00 USD",
  ]);
  for (const nobody of [unread, quick]) expect(await mailsTo(db, nobody)).toEqual([]);
  await db.sql`update receipt_settings set read_xid = refunded_since, read_id = '00000000-0000-0000-0000-000000000000'
    where environment_id = ${shop.environmentId}`;
  await work(shop);
  expect(await mailsTo(db, to)).toHaveLength(2);
});

test("an environment whose receipts cannot be written blocks no other, and catches up later", async () => {
  const shops = await Promise.all(Array.from({ length: 3 }, tenant));
  const boxes = shops.map(mailbox);
  for (const [i, shop] of shops.entries()) {
    await switchOn(shop, { on_capture: true });
    await shop.create({ customer_email: boxes[i] });
  }
  const [broken, ...others] = shops.toSorted((a, b) => (a.environmentId < b.environmentId ? -1 : 1));
  // A zone that this version of Node does not know, as after a downgrade.
  await db.sql`update merchants set time_zone = 'Mars/Olympus' where id = ${broken?.merchant.id as string}`;
  for (const shop of others) await work(shop);
  const counts = () => Promise.all(boxes.map(async (box) => (await mailsTo(db, box)).length));
  expect(await counts()).toEqual(shops.map((shop) => (shop === broken ? 0 : 1)));
  await db.sql`update merchants set time_zone = 'UTC' where id = ${broken?.merchant.id as string}`;
  await work(broken as Tenant);
  expect(await counts()).toEqual([1, 1, 1]);
});

test("a run serves every environment, however much one has to read", async () => {
  const shop = await tenant();
  const merchants = await Promise.all(Array.from({ length: 60 }, () => createTestMerchant(db)));
  const ids = merchants.map(({ test }) => test.id);
  await Promise.all(
    merchants.map(({ test }) =>
      updateReceipts(testContext(shop.service, test, { actor: { type: "user", id: shop.user.id } }), {
        on_capture: true,
      }),
    ),
  );
  await db.sql`insert into events (environment_id, id, type, object_id, sequence, data)
    select id, gen_random_uuid(), 'plan.activated', gen_random_uuid(), 1, '{}' from unnest(${ids}::uuid[]) id`;
  const unread = async () =>
    (await listEnvironmentsToRead(db.sql, { after: null, limit: 1_000 })).filter((id) => ids.includes(id)).length;
  await expect.poll(unread, UNTIL_READABLE).toBe(60);
  await mailReceipts(shop.service, HERE);
  expect(await unread()).toBe(0);
});

test("while the mail queue is full no receipts are written, and the next environment comes first afterwards", async () => {
  const shops = (await Promise.all([tenant(), tenant()])).toSorted((a, b) =>
    a.environmentId < b.environmentId ? -1 : 1,
  );
  const [first, second] = shops as [Tenant, Tenant];
  for (const shop of shops) {
    await switchOn(shop, { on_capture: true });
    await shop.create({ customer_email: shop.user.email });
  }
  for (const shop of shops) await untilReadable(shop);
  const flood = mailbox();
  const fill = (count: number) => db.sql`insert into mail_outbox (id, kind, recipient, subject, body, created_at)
    select gen_random_uuid(), 'receipt', ${flood}, '', '', now() from generate_series(1, ${count})`;
  await fill(200);
  const place = { after: first.environmentId };
  expect(await mailReceipts(first.service, AWAY, undefined, place)).toBe(0);
  expect(place.after).toBe(first.environmentId);
  await db.sql`update mail_outbox set sent_at = now() where recipient = ${flood}`;
  const mailed = async () => {
    await mailReceipts(first.service, AWAY, undefined, { ...place });
    return (await mailsTo(db, second.user.email)).length;
  };
  await expect.poll(mailed, UNTIL_READABLE).toBe(1);
  expect(await mailsTo(db, first.user.email)).toEqual([]);
  await work(first, AWAY);
  expect(await mailsTo(db, first.user.email)).toHaveLength(1);
});

test("a receipt lists as many refunds as a payment may have", async () => {
  const shop = await tenant();
  const { body } = await shop.create({ amount: 100_000 });
  await shop.act("refund", body.id, { amount: 100 });
  const id = decodeId("transaction", (await shop.get(body.id)).transactions[1]?.id ?? "") as string;
  await copyTransaction(db, { environmentId: shop.environmentId, id, times: MAX_REFUNDS - 1, status: "PENDING" });
  const receipt = await findReceiptByToken(shop.service, await tokenOf(shop, body.id));
  expect(receipt?.refunds).toHaveLength(MAX_REFUNDS);
});

test("mail that leaves the machine goes to the team in test mode, to customers in live mode, and never to unmailable addresses", async () => {
  const shop = await tenant();
  const [to, own] = [mailbox(), shop.user.email];
  await switchOn(shop, { on_capture: true });
  await shop.create({ customer_email: to });
  await shop.create({ customer_email: own.toUpperCase() });
  await work(shop, AWAY);
  expect(await mailsTo(db, to)).toEqual([]);
  expect(await mailsTo(db, own.toUpperCase())).toHaveLength(1);
  const odd = ['"a b"@shop.example', "Ada <ada@shop.example>", "a@b.example,c@d.example", "nobody", "пример@пример.рф"];
  const mailed = ["ada@müller.example", "foo.@docomo.example", "#team&co/x@customers.example"];
  for (const address of [...odd, ...mailed]) {
    expect((await shop.create({ customer_email: address })).body).toMatchObject({ customer_email: address });
  }
  await work(shop);
  for (const address of odd) expect(await mailsTo(db, address)).toEqual([]);
  for (const address of mailed) expect(await mailsTo(db, address)).toHaveLength(1);
  const live = testContext(shop.service, shop.merchant.live);
  expect(await getReceiptSettings(live)).toEqual({ on_capture: true, on_refund: false });
});

test("a suspended merchant sends no mail", async () => {
  const shop = await tenant();
  const to = mailbox();
  await switchOn(shop, { on_capture: true });
  await shop.create({ customer_email: to });
  await db.sql`update merchants set suspended_at = now() where id = ${shop.merchant.id}`;
  await untilReadable(shop);
  await mailReceipts(shop.service, HERE);
  expect(await mailsTo(db, to)).toEqual([]);
});

test.each([
  ["de", "[Test] Beleg von Test merchant: 1.234,56 €", "hat am", "Visa •••• 4242"],
  ["fr", "[Test] Reçu de Test merchant : 1 234,56 €", "a débité 1 234,56 €", "Visa •••• 4242"],
  ["ar", "[اختبار] إيصال من \u2068Test merchant\u2069: \u20681,234.56 €\u2069", "خصم", "Visa •••• 4242"],
])("a receipt and its mail have the language of the form that took the payment: %s", async (locale, ...texts) => {
  const to = mailbox();
  const shop = await openShop(db, { amount: 123_456, currency: "EUR", customer_email: to });
  const user = await createTestUser(db, { merchantId: shop.tenant.merchant.id, role: "owner" });
  const ctx = testContext(shop.tenant.service, shop.tenant.merchant.test, { actor: { type: "user", id: user.id } });
  await updateReceipts(ctx, { on_capture: true });
  await shop.pay({ locale: "es", card: DECLINED });
  const { state } = await shop.pay({ locale });
  await work(shop.tenant);
  const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ").replace(/[\u200e\u200f\u061c]/g, "");
  const [mail] = await mailsTo(db, to);
  const [subject, ...body] = texts;
  expect(plain(mail?.subject ?? "")).toBe(subject);
  for (const text of body) expect(plain(mail?.body ?? "")).toContain(text);
  const path = await getReceiptPath(ctx, { id: state.payment?.id ?? "" });
  const receipt = await findReceiptByToken(shop.tenant.service, path.slice("/receipt/".length));
  expect(receipt).toMatchObject({ locale, amount_captured: 123_456 });
});

test("a payment without a form has its receipt in English", async () => {
  const shop = await tenant();
  const { body } = await shop.create();
  const receipt = await findReceiptByToken(shop.service, await tokenOf(shop, body.id));
  expect(receipt).toMatchObject({ locale: "en" });
});

test("a name with line breaks adds no header, and replies go to the merchant", async () => {
  const shop = await tenant();
  const to = mailbox();
  await db.sql`update merchants set name = ${"Evil\r\nBcc: all@shop.example\u202e"}, support_email = 'help@shop.example'
    where id = ${shop.merchant.id}`;
  await switchOn(shop, { on_capture: true });
  await shop.create({ customer_email: to });
  await work(shop);
  const [mail] = await db.sql`select subject, sender_name, reply_to from mail_outbox where recipient = ${to}`;
  expect(mail).toEqual({
    subject: "[Test] Receipt from Evil Bcc: all@shop.example: $100.00 USD",
    sender_name: "Evil Bcc: all@shop.example",
    reply_to: "help@shop.example",
  });
});

test("a user sends a receipt at most five times a day, also concurrently, and each is audited", async () => {
  const shop = await tenant();
  const { body } = await shop.create();
  const to = mailbox();
  const send = () => codeOf(sendReceipt(shop.ctx(), { id: body.id, email: to }, HERE));
  const codes = await Promise.all(Array.from({ length: 8 }, send));
  expect(codes.toSorted()).toEqual([...Array(5).fill("ok"), ...Array(3).fill("rate_limited")]);
  expect(await mailsTo(db, to)).toHaveLength(5);
  const acts = await db.sql`select actor, detail from audit_log where environment_id = ${shop.environmentId}
    and action = 'payment.receipt_sent'`;
  expect(acts).toEqual(Array(5).fill({ actor: { type: "user", id: shop.user.id }, detail: { email: to } }));
  await db.sql`update receipt_mails set created_at = created_at - interval '1 day' where environment_id = ${shop.environmentId}`;
  expect(await send()).toBe("ok");
  const otherMerchant = await createTestMerchant(db);
  const foreign = testContext(shop.service, otherMerchant.test);
  expect(await codeOf(sendReceipt(foreign, { id: body.id, email: to }, HERE))).toBe("resource_not_found");
  expect(await codeOf(sendReceipt(shop.ctx(), { id: body.id, email: to }, AWAY))).toBe("invalid_parameter");
});

test("a receipt exists once money is captured, at a permanent address only", async () => {
  const shop = await tenant();
  const held = (await shop.create({ capture_method: "manual", description: "A lamp" })).body;
  expect(await codeOf(getReceiptPath(shop.ctx(), { id: held.id }))).toBe("invalid_state");
  await shop.act("capture", held.id, { amount: 6_000 });
  const [token, again] = await Promise.all([tokenOf(shop, held.id), tokenOf(shop, held.id)]);
  expect(again).toBe(token);
  await shop.act("refund", held.id, { amount: 1_000, reason: "RETURN" });
  const receipt = await findReceiptByToken(shop.service, token);
  expect(receipt).toMatchObject({
    number: receiptNumber(held.id),
    payment_id: held.id,
    merchant_name: "Test merchant",
    bought: "A lamp",
    amount_captured: 6_000,
    amount_refunded: 1_000,
    currency: "USD",
    card: { brand: "visa", last4: "4242" },
    refunds: [{ amount: 1_000, pending: false }],
  });
  expect(Date.parse(receipt?.captured_at ?? "")).toBeGreaterThan(Date.now() - 60_000);
  expect(JSON.stringify(receipt)).not.toContain("424242");
  const last = token.at(-1) === "A" ? "B" : "A";
  for (const wrong of [
    "",
    "rcp_",
    held.id,
    token.slice(0, -1),
    token.slice(0, -1) + last,
    token.toUpperCase(),
    `${token}'`,
  ])
    expect(await findReceiptByToken(shop.service, wrong), wrong).toBeNull();
  const otherMerchant = testContext(shop.service, (await createTestMerchant(db)).test);
  expect(await codeOf(getReceiptPath(otherMerchant, { id: held.id }))).toBe("resource_not_found");
});

test("a paid session leads to its receipt until it expires; an unpaid or authorized one does not", async () => {
  const shop = await openShop(db);
  provideService(shop.tenant.service);
  expect(await receiptOfSession(shop.token)).toBeNull();
  await shop.pay();
  expect(await receiptOfSession(shop.token)).toMatch(/^\/receipt\/rcp_/);
  await db.sql`update client_sessions set expires_at = now() - interval '1 second' where environment_id = ${shop.tenant.environmentId}`;
  expect(await receiptOfSession(shop.token)).toBeNull();
  const manual = await shop.open({ capture_method: "manual" });
  await manual.pay();
  expect(await receiptOfSession(manual.token)).toBeNull();
});
