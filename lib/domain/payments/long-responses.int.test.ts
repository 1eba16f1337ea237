import { expect, test } from "vitest";
import { LONG_RESPONSE_BYTES } from "@/db/queries/idempotency/keys";
import { findPayment } from "@/db/queries/payments/payments";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testIdempotency } from "@/e2e/fixtures/factories";
import { copyTransaction, type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { decodeId } from "@/lib/contract/ids";
import type { Context } from "../context";
import { refundPayment } from "./follow-up";
import { inSlotIfLong } from "./read-payments";

const { db } = await testDatabase();
const METADATA = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, "v".repeat(300)]));

/** A payment whose responses are about 800 kB long. */
async function longPayment(tenant: MoneyTenant): Promise<string> {
  const { id } = (await tenant.create({ metadata: METADATA })).body;
  const { body } = await tenant.act("refund", id, { amount: 1 });
  const refund = decodeId("transaction", body.transactions[1].id) ?? "";
  await copyTransaction(db, { environmentId: tenant.environmentId, id: refund, times: 50 });
  return id;
}

function refundContext(tenant: MoneyTenant, key: string): Context {
  return testContext(tenant.service, tenant.merchant.test, {
    idempotency: testIdempotency(key, Buffer.alloc(32, 1), null),
    request: { id: tenant.merchant.id, endpoint: "refundPayment", path: "/v1/payments/x/refund" },
  });
}

test("a long response is not held in memory: it is read once a slot is free, byte for byte as it is stored", async () => {
  const tenant = await moneyTenant(db);
  const id = await longPayment(tenant);
  const first = await refundPayment(refundContext(tenant, "k"), { id, amount: 1 });
  expect([first.status, first.body, first.replayed]).toEqual([201, "", false]);
  expect(first.long?.bytes).toBeGreaterThan(LONG_RESPONSE_BYTES);
  const text = await first.long?.read();
  expect(JSON.parse(text ?? "")).toMatchObject({ id, amount_refunded: 2, metadata: METADATA });
  expect(JSON.parse(text ?? "").transactions).toHaveLength(53);
  const again = await refundPayment(refundContext(tenant, "k"), { id, amount: 1 });
  expect([again.status, again.replayed, again.long?.bytes]).toEqual([201, true, Buffer.byteLength(text ?? "")]);
  expect(await again.long?.read()).toBe(text);
  expect(tenant.script.count("refund")).toBe(2);
});

test("a long response of unknown outcome is also built once a slot is free", async () => {
  const tenant = await moneyTenant(db);
  const id = await longPayment(tenant);
  tenant.script.next(losesAnswer);
  const pending = await refundPayment(refundContext(tenant, "k"), { id, amount: 1 });
  expect([pending.status, pending.body]).toEqual([202, ""]);
  expect(JSON.parse((await pending.long?.read()) ?? "")).toMatchObject({ id, status: "PENDING" });
});

test("two are built concurrently for all merchants, and one that fails releases its slot", async () => {
  const tenant = await moneyTenant(db);
  const id = decodeId("payment", await longPayment(tenant)) ?? "";
  const snapshot = await findPayment(db.sql, tenant.environmentId, id);
  if (!snapshot) throw new Error("the payment is not there");
  let running = 0;
  let max = 0;
  const make = (fails: boolean) => async () => {
    max = Math.max(max, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
    if (fails) throw new Error("broken");
  };
  const all = await Promise.allSettled(Array.from({ length: 12 }, (_, i) => inSlotIfLong(snapshot, make(i % 3 === 0))));
  expect(all.filter(({ status }) => status === "rejected")).toHaveLength(4);
  expect([max, running]).toEqual([2, 0]);
});
