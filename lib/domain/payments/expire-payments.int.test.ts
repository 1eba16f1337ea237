import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { decodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { expirePayments } from "./expire-payments";
import { continuePayment } from "./follow-up";

const { db } = await testDatabase();
const CHALLENGED = { card: { number: "4000000000003220", exp_month: 12, exp_year: 2040, cvv: "123" } };

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

const endHold = (id: string) =>
  db.sql`update payments set capture_before = now() - interval '1 ms' where id = ${decodeId("payment", id)}`;
/** Ages a payment by half an hour and a millisecond, because stored times are rounded, maybe up. */
const abandon = (id: string) =>
  db.sql`update payments set updated_at = now() - interval '30 minutes 1 ms' where id = ${decodeId("payment", id)}`;
const expire = (tenant: MoneyTenant) => Promise.all(Array.from({ length: 4 }, () => expirePayments(tenant.service)));

test("an expired authorization is voided once by any number of instances", async () => {
  const tenant = await moneyTenant(db);
  const { body: due } = await tenant.create({ capture_method: "manual" });
  const { body: held } = await tenant.create({ capture_method: "manual" });
  await endHold(due.id);
  const ended = await expire(tenant);
  expect(ended.reduce((sum, one) => sum + one, 0)).toBe(1);
  const after = await tenant.get(due.id);
  expect(after).toMatchObject({ status: "VOIDED", amount_capturable: 0, available_actions: [] });
  expect(after.transactions[0]).toMatchObject({ status: "VOIDED", void_reason: "expired", capture_before: null });
  expect((await tenant.get(held.id)).status).toBe("AUTHORIZED");
  expect(tenant.script.count("void")).toBe(1);
  await expectClean();
});

test("an expired authorization can be voided but not captured before the job has run", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create({ capture_method: "manual" });
  await endHold(payment.id);
  expect(await tenant.act("capture", payment.id)).toMatchObject({
    status: 409,
    code: "invalid_state",
    body: { allowed_actions: ["void"] },
  });
  expect(await tenant.act("void", payment.id)).toMatchObject({ status: 200 });
  expect(tenant.script.count("capture")).toBe(0);
  await expectClean();
});

test("an authorization whose capture is in progress does not expire", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create({ capture_method: "manual" });
  tenant.script.next(losesAnswer);
  await tenant.act("capture", payment.id, {}, { key: "k" });
  await endHold(payment.id);
  await expire(tenant);
  await tenant.endLeases();
  await tenant.complete();
  expect(await tenant.act("capture", payment.id, {}, { key: "k" })).toMatchObject({
    status: 200,
    body: { status: "CAPTURED" },
  });
  await expectClean();
});

test("an expiry whose outcome is unknown is finished by the recovery worker, with its reason", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create({ capture_method: "manual" });
  await endHold(payment.id);
  tenant.script.next(losesAnswer);
  await expirePayments(tenant.service);
  expect((await tenant.get(payment.id)).status).toBe("AUTHORIZED");
  await tenant.endLeases();
  await tenant.complete();
  expect((await tenant.get(payment.id)).transactions[0]).toMatchObject({ status: "VOIDED", void_reason: "expired" });
  await expectClean();
});

test("a challenge without a response for half an hour ends in one decline", async () => {
  const tenant = await moneyTenant(db);
  const created = await tenant.create(CHALLENGED, { key: "k" });
  expect(created).toMatchObject({
    status: 201,
    body: { status: "REQUIRES_ACTION", next_action: { type: "redirect_to_url" } },
  });
  await expire(tenant);
  expect((await tenant.get(created.body.id)).status).toBe("REQUIRES_ACTION");
  await abandon(created.body.id);
  await expire(tenant);
  const after = await tenant.get(created.body.id);
  expect(after).toMatchObject({ status: "DECLINED", next_action: null });
  expect(after.transactions[0]).toMatchObject({ status: "DECLINED", decline_code: "authentication_failed" });
  expect(tenant.script.count("continueAuthorization")).toBe(1);
  expect(await tenant.create(CHALLENGED, { key: "k" })).toMatchObject({ text: created.text, replayed: true });
  await expectClean();
});

test("a challenge that is passed, failed and abandoned concurrently has one outcome", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create(CHALLENGED);
  await abandon(payment.id);
  const environment = { id: tenant.environmentId, mode: "test" } as const;
  const id = decodeId("payment", payment.id) ?? "";
  const ends = await Promise.all([
    continuePayment(tenant.service, environment, id, "passed"),
    continuePayment(tenant.service, environment, id, "failed"),
    expirePayments(tenant.service).then(() => ({ kind: "refused" })),
  ]);
  expect(ends.filter(({ kind }) => kind !== "refused").length).toBeLessThanOrEqual(1);
  expect(["CAPTURED", "DECLINED"]).toContain((await tenant.get(payment.id)).status);
  expect(tenant.script.count("continueAuthorization")).toBe(1);
  await expectClean();
});

test("a passed challenge whose response is lost is sent again and charges once", async () => {
  const tenant = await moneyTenant(db);
  const { body: payment } = await tenant.create(CHALLENGED);
  tenant.script.next(losesAnswer);
  const environment = { id: tenant.environmentId, mode: "test" } as const;
  await continuePayment(tenant.service, environment, decodeId("payment", payment.id) ?? "", "passed");
  expect((await tenant.get(payment.id)).status).toBe("PENDING");
  await tenant.endLeases();
  await tenant.complete();
  expect(await tenant.get(payment.id)).toMatchObject({ status: "CAPTURED", amount_captured: 10_000 });
  await expectClean();
});

test("an environment's expired authorizations do not delay another environment's", async () => {
  const [large, small] = [await moneyTenant(db), await moneyTenant(db)];
  const hold = { capture_method: "manual" };
  const { body: only } = await small.create(hold);
  const { body: waiting } = await small.create(CHALLENGED);
  await Promise.all(Array.from({ length: 110 }, () => large.create(hold)));
  await Promise.all(Array.from({ length: 110 }, () => large.create(CHALLENGED)));
  await endHold(only.id);
  await abandon(waiting.id);
  await db.sql`update payments set capture_before = now() - interval '2 hours', updated_at = now() - interval '2 hours'
    where environment_id = ${large.environmentId}`;
  const ended = await expirePayments(small.service);
  expect((await small.get(only.id)).status).toBe("VOIDED");
  expect((await small.get(waiting.id)).status).toBe("DECLINED");
  expect(ended).toBe(2 + 25 + 25);
  for (let round = 0; round < 4; round++) await expirePayments(small.service);
  expect(await expirePayments(small.service)).toBe(0);
  await expectClean();
});

test("more environments than fit a page are all served in one run, each one's oldest payment first", async () => {
  const tenants = await Promise.all(Array.from({ length: 5 }, () => moneyTenant(db)));
  const oldest: string[] = [];
  for (const tenant of tenants) {
    const made = await Promise.all(Array.from({ length: 26 }, () => tenant.create({ capture_method: "manual" })));
    const ids = made.map(({ body }) => decodeId("payment", body.id) as string);
    await db.sql`update payments set capture_before = now() - place * interval '1 minute'
      from unnest(${ids}::uuid[]) with ordinality as due (due_id, place) where id = due_id`;
    oldest.push(...ids.slice(1));
  }
  expect(await expirePayments((tenants[0] as MoneyTenant).service)).toBe(5 * 25);
  const voided = await db.sql<
    { id: string }[]
  >`select id from payments where status = 'VOIDED' and environment_id in ${db.sql(tenants.map((one) => one.environmentId))}`;
  expect(voided.map(({ id }) => id).toSorted()).toEqual(oldest.toSorted());
  expect(await expirePayments((tenants[0] as MoneyTenant).service)).toBe(5);
  await expectClean();
});
