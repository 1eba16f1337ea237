import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { type MoneyAnswer, moneyTenant } from "@/e2e/fixtures/money";
import { losesAnswer } from "@/e2e/fixtures/scripted-processor";
import type { KeyLimits } from "@/lib/contract/api-keys/api-keys";
import { encodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { createApiKey, rotateApiKey } from "../api-keys/issue-keys";

const { db } = await testDatabase({ max: 20 });

const NONE: KeyLimits = { refund_max: null, refunds_per_day: null, refund_amount_per_day: null, currency: null };

async function setup(limits: Partial<KeyLimits>) {
  const tenant = await moneyTenant(db);
  const { environmentId, service } = tenant;
  const settings = { environmentId, name: "Refunds", permissions: ["transaction.refund" as const] };
  const { row } = await createApiKey(service, { ...settings, limits: { ...NONE, ...limits } });
  const by = (id: string) => ({ context: { actor: { type: "api_key" as const, id } } });
  return {
    ...tenant,
    row,
    pay: async (body: object = {}) => (await tenant.create(body)).body.id as string,
    refund: (payment: string, amount: number, key?: string, keyId = row.id) =>
      tenant.act("refund", payment, { amount }, { ...by(keyId), ...(key !== undefined && { key }) }),
    rotate: async () => {
      const { row: twin } = await rotateApiKey(service, {
        environmentId,
        id: encodeId("apiKey", row.id),
        overlapHours: 24,
      });
      return twin.id;
    },
  };
}

const isRefused = ({ code }: MoneyAnswer) => code === "limit_exceeded";
const isMade = ({ status }: MoneyAnswer) => status === 201;

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

test.each<[string, Partial<KeyLimits>]>([
  ["number", { refunds_per_day: 7 }],
  ["amount", { refund_amount_per_day: 700, currency: "USD" }],
])("40 concurrent refunds of a key and its replacement never exceed its limits together: by %s", async (_, limits) => {
  const { pay, refund, rotate, row, script } = await setup(limits);
  const keys = [row.id, await rotate()];
  const payments = await Promise.all(Array.from({ length: 4 }, () => pay()));
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => refund(payments[i % 4] as string, 100, undefined, keys[i % 2])),
  );
  expect([answers.filter(isMade).length, answers.filter(isRefused).length]).toEqual([7, 33]);
  expect(script.count("refund")).toBe(7);
  await expectClean();
});

test("a refusal says which limit, what is left, and when it is free again", async () => {
  const limits = { refund_max: 500, refunds_per_day: 3, refund_amount_per_day: 900, currency: "USD" };
  const { pay, refund } = await setup(limits);
  const payment = await pay();
  const tomorrow = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T00:00:00.000Z`;
  const refused = (limit: string, remaining: number, resets_at: string | null) => ({
    status: 403,
    code: "limit_exceeded",
    body: { extra: { limit, remaining, resets_at } },
  });
  expect(await refund(payment, 501)).toMatchObject(refused("refund_max", 500, null));
  expect(await refund(payment, 500)).toMatchObject({ status: 201 });
  expect(await refund(payment, 401)).toMatchObject(refused("refund_amount_per_day", 400, tomorrow));
  expect(await refund(payment, 100)).toMatchObject({ status: 201 });
  expect(await refund(payment, 100)).toMatchObject({ status: 201 });
  expect(await refund(payment, 100)).toMatchObject(refused("refunds_per_day", 0, tomorrow));
  expect(await refund(await pay({ currency: "EUR" }), 1)).toMatchObject(refused("currency", 0, null));
  await expectClean();
});

test("a refusal leaves the idempotency key free, and a stored response is replayed beyond the limit", async () => {
  const { pay, refund, key, row } = await setup({ refunds_per_day: 1 });
  const payment = await pay();
  const first = await refund(payment, 100, "first");
  expect(first).toMatchObject({ status: 201, replayed: false });
  expect(await refund(payment, 100, "second")).toMatchObject({ code: "limit_exceeded" });
  expect(await key("second")).toBeNull();
  expect(await refund(payment, 100, "first")).toMatchObject({ text: first.text, replayed: true });
  await db.sql`update api_keys set limited_day = limited_day - 1 where id = ${row.id}`;
  expect(await refund(payment, 100, "second")).toMatchObject({ status: 201, replayed: false });
  await expectClean();
});

test("a refused refund doesn't count, and one of unknown outcome does", async () => {
  const { pay, refund, script, endLeases, complete } = await setup({ refunds_per_day: 1 });
  const payment = await pay();
  expect(await refund(payment, 10_001)).toMatchObject({ code: "amount_exceeds_refundable" });
  script.next(losesAnswer);
  expect(await refund(payment, 100)).toMatchObject({ status: 202 });
  expect(await refund(payment, 100)).toMatchObject({ code: "limit_exceeded" });
  await endLeases();
  await complete();
  expect(await refund(payment, 100)).toMatchObject({ code: "limit_exceeded" });
  await expectClean();
});

test("other callers are not limited", async () => {
  const { pay, refund, act } = await setup({ refunds_per_day: 0 });
  const payment = await pay();
  expect(await refund(payment, 100)).toMatchObject({
    code: "limit_exceeded",
    body: { extra: { limit: "refunds_per_day", remaining: 0, resets_at: null } },
  });
  expect(await act("refund", payment, { amount: 100 })).toMatchObject({ status: 201 });
  await expectClean();
});

test("a refund that began before midnight takes nothing back from the new day", async () => {
  const { pay, refund, row } = await setup({ refunds_per_day: 2 });
  const payment = await pay();
  expect(await refund(payment, 100)).toMatchObject({ status: 201 });
  // Simulates a refund whose transaction began a moment before the day of the first one.
  await db.sql`update api_keys set limited_day = limited_day + 1 where id = ${row.id}`;
  expect(await refund(payment, 100)).toMatchObject({ status: 201 });
  expect(await refund(payment, 100)).toMatchObject({ code: "limit_exceeded" });
  const [counted] = await db.sql`
    select limited_day - (now() at time zone 'UTC')::date as ahead, limited_refunds from api_keys where id = ${row.id}`;
  expect(counted).toEqual({ ahead: 1, limited_refunds: 2 });
  // From a clock that was wrong.
  await db.sql`update api_keys set limited_day = limited_day + 7 where id = ${row.id}`;
  expect(await refund(payment, 100)).toMatchObject({ status: 201 });
  await expectClean();
});
