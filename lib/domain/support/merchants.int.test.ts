import { beforeAll, describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { loggedRequest } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { createTestUser, staffCaller } from "@/e2e/fixtures/users";
import { encodeId } from "@/lib/contract/ids";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { findUsableKey } from "@/lib/domain/api-keys/read-keys";
import { recordRequests } from "@/lib/domain/request-log/record-requests";
import { newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { getMerchantKey, getMerchantRequest, getMerchantView } from "./merchants";
import { getSupportPayment } from "./payment-detail";
import { searchEverything } from "./search";
import type { StaffCall } from "./staff";
import { listStaffActs, recordStaffAct } from "./staff-acts";
import { reinstateMerchant, suspendMerchant, unlockMember } from "./suspend-merchants";
import { readProcessorStatus } from "./unknown-outcomes";

/** The audit log refuses a staff member that does not exist. */
const unwritten = { cause: { constraint_name: expect.stringContaining("support_audit_log_staff_id") } };

const { db } = await testDatabase();
let tenant: MoneyTenant;
let call: () => StaffCall;
let id: string;

beforeAll(async () => {
  tenant = await moneyTenant(db);
  call = await staffCaller(tenant.service);
  id = encodeId("merchant", tenant.merchant.id);
});

const actsOf = async (request: string) => [
  ...(await db.sql`select action, merchant_id, object_id, detail from support_audit_log where request_id = ${request}`),
];

describe("the merchant page", () => {
  test("shows profile, members, keys without secrets, volume and transactions, and is audited", async () => {
    const shop = await moneyTenant(db);
    const shopId = encodeId("merchant", shop.merchant.id);
    const { secret } = await createApiKey(shop.service, {
      environmentId: shop.environmentId,
      name: "Till",
      permissions: ["payment.read"],
    });
    await createTestUser(db, { merchantId: shop.merchant.id, role: "owner", email: "owner@inside.example" });
    const { body } = await shop.create({ amount: 5_000 });
    await shop.act("refund", body.id, { amount: 1_000, reason: "RETURN" });
    const made = call();
    const view = await getMerchantView(made, { id: shopId, mode: "test" });
    expect(view.profile).toMatchObject({ id: shopId, name: "Test merchant", suspendedAt: null });
    expect(view.members).toEqual([expect.objectContaining({ email: "owner@inside.example", secondFactor: false })]);
    expect(view.environment.keys).toEqual([expect.objectContaining({ name: "Till", status: "ACTIVE" })]);
    expect(JSON.stringify(view)).not.toContain(secret);
    expect(view.environment.transactions.map((row) => [row.type, row.amount])).toEqual([
      ["REFUND", 1_000],
      ["CHARGE", 5_000],
    ]);
    expect(view.environment.volume).toEqual([
      expect.objectContaining({ currency: "USD", captured: 5_000, refunded: 1_000, recentCaptured: 5_000 }),
    ]);
    expect(await actsOf(made.request.id)).toEqual([
      expect.objectContaining({ action: "support.viewed_merchant", merchant_id: shop.merchant.id, object_id: shopId }),
    ]);
    const live = await getMerchantView(call(), { id: shopId, mode: "live" });
    expect(live.environment).toMatchObject({ mode: "live", keys: [], transactions: [], volume: [] });
  });

  test.each(["nonsense", encodeId("merchant", newId()), encodeId("payment", newId())])(
    "%s is no merchant",
    async (text) => {
      await expect(getMerchantView(call(), { id: text, mode: "test" })).rejects.toMatchObject({
        code: "resource_not_found",
      });
    },
  );

  test("is not shown if the look-up cannot be audited", async () => {
    const nobody = { ...call(), staff: { userId: newId() } };
    await expect(getMerchantView(nobody, { id, mode: "test" })).rejects.toMatchObject(unwritten);
    const { body } = await tenant.create();
    await expect(getSupportPayment(nobody, { id: body.id })).rejects.toMatchObject(unwritten);
  });
});

describe("suspending", () => {
  test("stops every key immediately and stores the reason; reinstating restores them", async () => {
    const { secret } = await createApiKey(tenant.service, {
      environmentId: tenant.environmentId,
      name: "Shop",
      permissions: ["payment.read"],
    });
    const suspended = async () => (await findUsableKey(tenant.service, sha256(secret)))?.suspended;
    const made = call();
    await suspendMerchant(made, { id, reason: "Chargebacks" });
    expect(await suspended()).toBe(true);
    expect((await getMerchantView(call(), { id, mode: "live" })).profile).toMatchObject({
      suspendedAt: expect.any(String),
      suspendedReason: "Chargebacks",
    });
    await expect(suspendMerchant(call(), { id, reason: "Again" })).rejects.toMatchObject({ code: "invalid_state" });
    expect(await actsOf(made.request.id)).toEqual([
      {
        action: "support.suspended_merchant",
        merchant_id: tenant.merchant.id,
        object_id: id,
        detail: { reason: "Chargebacks" },
      },
    ]);
    await reinstateMerchant(call(), { id, reason: "Cleared" });
    expect(await suspended()).toBe(false);
    await expect(reinstateMerchant(call(), { id, reason: "x" })).rejects.toMatchObject({ code: "invalid_state" });
  });

  test("does not happen if it cannot be audited", async () => {
    const nobody = { ...call(), staff: { userId: newId() } };
    await expect(suspendMerchant(nobody, { id, reason: "x" })).rejects.toThrow(/support_audit_log/);
    expect((await getMerchantView(call(), { id, mode: "test" })).profile.suspendedAt).toBeNull();
  });
});

test("unlocking lets the merchant's member sign in again, and no other merchant's", async () => {
  const locked = { failed_sign_ins: 10, locked_until: new Date(Date.now() + 1_800_000).toISOString() };
  const person = await createTestUser(db, { merchantId: tenant.merchant.id, role: "viewer", ...locked });
  const userId = encodeId("user", person.id);
  const shown = async () =>
    (await getMerchantView(call(), { id, mode: "test" })).members.find((row) => row.id === userId);
  expect((await shown())?.lockedUntil).not.toBeNull();
  const otherMerchant = await moneyTenant(db);
  await expect(
    unlockMember(call(), { merchantId: encodeId("merchant", otherMerchant.merchant.id), userId, reason: "x" }),
  ).rejects.toMatchObject({ code: "resource_not_found" });
  const made = call();
  await unlockMember(made, { merchantId: id, userId, reason: "Called us" });
  expect((await shown())?.lockedUntil).toBeNull();
  expect(await actsOf(made.request.id)).toEqual([
    expect.objectContaining({ action: "support.unlocked_person", object_id: userId }),
  ]);
});

describe("the payment page", () => {
  test("shows the operations with their status at the processor, ledger, events, keys and audit", async () => {
    const { body } = await tenant.create({ amount: 2_000 }, { key: "inside" });
    await tenant.act("refund", body.id, { amount: 500, reason: "OTHER" });
    const made = call();
    const inside = await getSupportPayment(made, { id: body.id });
    expect(inside.merchant).toMatchObject({ id, suspended: false });
    expect(inside.environment).toEqual({ id: encodeId("environment", tenant.environmentId), mode: "test" });
    expect(inside.detail.payment).toMatchObject({ id: body.id, status: "PARTIALLY_REFUNDED" });
    expect(inside.detail.ledger.length).toBeGreaterThan(0);
    expect(inside.detail.events.map((event) => event.type)).toContain("refund.succeeded");
    expect(inside.detail.requests.map((request) => request.key)).toContain("inside");
    expect(inside.operations).toMatchObject([
      { kind: "refund", state: "succeeded", epoch: 1, attempts: 1, lastAnswer: "approved", nextAttemptAt: null },
      { kind: "authorize", state: "succeeded", idempotencyKey: "inside" },
    ]);
    expect(inside.audit.length).toBe(2);
    expect(inside.acts).toEqual([expect.objectContaining({ action: "support.viewed_payment" })]);
    const answers = await readProcessorStatus(tenant.service, inside);
    expect(answers.map((answer) => [answer.reference, answer.kind])).toEqual(
      inside.operations.map((operation) => [operation.id, "approved"]),
    );
    const none = await readProcessorStatus(tenant.service, {
      ...inside,
      environment: { ...inside.environment, mode: "live" },
    });
    expect(none[0]?.kind).toBe("none");
  });
});

test("a request of any environment can be opened, audited first, with only the bodies that staff may read", async () => {
  const logged = loggedRequest({ environment_id: tenant.environmentId, id: newId(), response_body: '{"code":"x"}' });
  const webhook = { ...logged, id: newId(), endpoint: "createWebhookEndpoint" };
  await recordRequests(tenant.service, [logged, webhook]);
  const made = call();
  const can = (permission: string) => permission === "payment.read";
  const found = await getMerchantRequest(made, { id: encodeId("request", logged.id), can });
  expect(found).toMatchObject({ merchant: id, mode: "test", request: { response: { text: '{"code":"x"}' } } });
  expect(await actsOf(made.request.id)).toEqual([
    expect.objectContaining({ action: "support.viewed_request", object_id: encodeId("request", logged.id) }),
  ]);
  const other = await getMerchantRequest(call(), { id: encodeId("request", webhook.id), can });
  expect(other.request).toMatchObject({ bodies_shown: false, response: { text: null } });
  for (const unknown of [encodeId("request", newId()), "nonsense"]) {
    await expect(getMerchantRequest(call(), { id: unknown, can })).rejects.toMatchObject({
      code: "resource_not_found",
    });
  }
});

test("an idempotency key of any environment can be looked up, audited first", async () => {
  await tenant.create({}, { key: "looked-up" });
  const environmentId = encodeId("environment", tenant.environmentId);
  const made = call();
  expect(await getMerchantKey(made, { environmentId, key: "looked-up", can: () => true })).toMatchObject({
    status: 201,
    state: "done",
  });
  expect(await actsOf(made.request.id)).toEqual([
    expect.objectContaining({ action: "support.viewed_key", merchant_id: tenant.merchant.id }),
  ]);
  for (const [id, key] of [
    [environmentId, "none"],
    [encodeId("environment", newId()), "looked-up"],
    ["nonsense", "looked-up"],
  ] as const) {
    await expect(getMerchantKey(call(), { environmentId: id, key, can: () => true })).rejects.toMatchObject({
      code: "resource_not_found",
    });
  }
});

test("acts on a payment's transactions are on the payment's page", async () => {
  const { body } = await tenant.create();
  const [charge] = body.transactions;
  const staff = call();
  await recordStaffAct(tenant.service, staff.staff, {
    action: "support.refundTransaction",
    merchantId: tenant.merchant.id,
    objectId: charge.id,
    detail: { reason: "They called" },
  });
  const { acts } = await getSupportPayment(call(), { id: body.id });
  expect(acts).toContainEqual(expect.objectContaining({ objectId: charge.id, reason: "They called" }));
});

test("account acts of its members are on the merchant's page", async () => {
  const shop = await moneyTenant(db);
  const owner = await createTestUser(db, { merchantId: shop.merchant.id, role: "owner", email: "acts@inside.example" });
  await db.sql`insert into audit_log (environment_id, id, actor, action, object_id)
    values (${shop.merchant.live.id}, ${newId()}, ${{ type: "user", id: owner.id } as never}::jsonb, 'team.member_invited', ${newId()})`;
  const view = await getMerchantView(call(), { id: encodeId("merchant", shop.merchant.id), mode: "test" });
  expect(view.ownActs).toEqual([
    expect.objectContaining({ action: "team.member_invited", actor: "acts@inside.example" }),
  ]);
});

test("searches are in the whole audit log once, and under each merchant whose data was shown", async () => {
  const reader = await staffCaller(tenant.service);
  const shop = await moneyTenant(db);
  const merchant = encodeId("merchant", shop.merchant.id);
  await searchEverything(reader(), { text: merchant });
  const all = { staff: undefined, merchant: undefined, action: undefined, before: undefined };
  const staff = encodeId("user", reader().staff.userId);
  const whole = await listStaffActs(reader(), { ...all, staff });
  expect(whole.acts.filter((act) => act.query === merchant).map((act) => act.action)).toEqual(["support.searched"]);
  const theirs = await listStaffActs(reader(), { ...all, merchant });
  expect(theirs.acts.map((act) => act.action)).toContain("support.found");
});

test("the audit log can be read by staff, merchant and action, page by page", async () => {
  const reader = await staffCaller(tenant.service);
  for (let i = 0; i < 60; i++) await getMerchantView(reader(), { id, mode: "test" });
  const staff = encodeId("user", reader().staff.userId);
  const all = { staff: undefined, merchant: undefined, action: undefined, before: undefined };
  const first = await listStaffActs(reader(), { ...all, staff, action: "support.viewed_merchant" });
  expect(first.acts).toHaveLength(50);
  const rest = await listStaffActs(reader(), {
    ...all,
    staff,
    action: "support.viewed_merchant",
    before: first.next ?? "",
  });
  expect(rest.acts).toHaveLength(10);
  expect(rest.next).toBeNull();
  const mine = await listStaffActs(reader(), { ...all, merchant: id });
  expect(mine.acts.every((act) => act.merchant?.id === id)).toBe(true);
  await expect(listStaffActs(reader(), { ...all, merchant: "x" })).rejects.toMatchObject({ code: "invalid_parameter" });
});
