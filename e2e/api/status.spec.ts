import { createPayment, getPayment, refundPayment, voidPayment } from "@/lib/contract/payments/endpoints";
import type { Payment } from "@/lib/contract/payments/payment";
import { TRANSACTION_STATUSES, type TransactionStatus } from "@/lib/contract/transactions/words";
import { runSettlement } from "@/lib/domain/settlement/settle";
import type { Tenant } from "../fixtures/playwright";
import { expect, test } from "../fixtures/playwright";
import { aCard, aPayment, authorized, CARDS, captured, chargeOf, DOORS, settled } from "../samples";

const read = async ({ api }: Tenant, id: string) => (await api.call(getPayment, { id })).ok();

async function refused(tenant: Tenant, number: string): Promise<Payment> {
  const answer = await tenant.api.call(createPayment, { body: aPayment({ card: aCard(number) }) });
  const { payment_id = "" } = answer.problem("card_declined");
  return read(tenant, payment_id);
}

async function after(
  tenant: Tenant,
  endpoint: typeof refundPayment | typeof voidPayment,
  payment: Payment,
  body: object,
) {
  (await tenant.api.call(endpoint, { id: payment.id, body })).ok();
  return read(tenant, payment.id);
}

/** For each status, a way to create a payment in it and the actions that it allows. */
const STATUSES: Record<TransactionStatus, { make(tenant: Tenant): Promise<Payment>; actions: string[] }> = {
  PENDING: {
    make: async ({ api }) => {
      const body = aPayment({ card: aCard(CARDS.garbage), capture_method: "manual" });
      return (await api.call(createPayment, { body })).ok(202);
    },
    actions: [],
  },
  AUTHORIZED: { make: ({ api }) => authorized(api), actions: ["capture", "void"] },
  CAPTURED: { make: ({ api }) => captured(api), actions: ["refund"] },
  SETTLED: { make: (tenant) => settled(tenant), actions: ["refund"] },
  VOIDED: {
    make: async (tenant) => after(tenant, voidPayment, await authorized(tenant.api), {}),
    actions: [],
  },
  PARTIALLY_REFUNDED: {
    make: async (tenant) => after(tenant, refundPayment, await captured(tenant.api), { amount: 1 }),
    actions: ["refund"],
  },
  REFUNDED: {
    make: async (tenant) => after(tenant, refundPayment, await captured(tenant.api), {}),
    actions: [],
  },
  DECLINED: { make: (tenant) => refused(tenant, CARDS.declined), actions: [] },
  FAILED: {
    make: async (tenant) => {
      const pending = await STATUSES.PENDING.make(tenant);
      await expect.poll(async () => (await read(tenant, pending.id)).status, { timeout: 60_000 }).toBe("FAILED");
      return read(tenant, pending.id);
    },
    actions: [],
  },
};

for (const status of TRANSACTION_STATUSES) {
  test(`${status}: operations outside the table are rejected, on the payment and on its charge`, async ({ tenant }) => {
    const { make, actions } = STATUSES[status];
    const payment = await make(tenant);
    expect(payment).toMatchObject({ status, available_actions: actions });
    expect(chargeOf(payment)).toMatchObject({ status, available_actions: actions });
    for (const door of DOORS) {
      for (const verb of (["capture", "void", "refund"] as const).filter((name) => !actions.includes(name))) {
        const answer = await tenant.api.call(door[verb], { id: door.idOf(payment) });
        if (status === "PENDING") {
          answer.problem("outcome_pending");
          continue;
        }
        const refusal = answer.problem("invalid_state");
        expect(refusal).toMatchObject({ current_status: status, allowed_actions: actions });
      }
    }
    const unchanged = await read(tenant, payment.id);
    if (status !== "PENDING") expect(unchanged).toEqual(payment);
  });
}

test("settlement settles each captured payment once, in a batch", async ({ tenant }) => {
  const payment = await settled(tenant, { amount: 700 });
  const charge = chargeOf(payment);
  expect(charge).toMatchObject({ status: "SETTLED", amount_refundable: 700 });
  expect(charge.settlement_batch_id).toMatch(/^batch_/);
  expect(charge.settled_at).not.toBeNull();
  expect(await runSettlement(tenant.context().service, { environmentId: tenant.merchant.test.id })).toEqual([]);
});

test("a charge refunded before settlement still settles: settled_at is set, the status stays", async ({
  tenant,
  api,
}) => {
  const payment = await captured(api);
  await api.call(refundPayment, { id: payment.id, body: { amount: 100 } });
  await runSettlement(tenant.context().service, { environmentId: tenant.merchant.test.id });
  const [charge, refund] = (await read(tenant, payment.id)).transactions;
  expect(charge).toMatchObject({ status: "PARTIALLY_REFUNDED" });
  expect(refund).toMatchObject({ status: "SETTLED" });
  expect([charge?.settled_at, refund?.settled_at]).not.toContain(null);
});

test("a settled payment can be refunded in parts until nothing is left", async ({ tenant, api }) => {
  const { id } = await settled(tenant);
  (await api.call(refundPayment, { id, body: { amount: 9_999 } })).ok();
  expect(await read(tenant, id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refundable: 1 });
  (await api.call(refundPayment, { id })).ok();
  expect(await read(tenant, id)).toMatchObject({ status: "REFUNDED", amount_refundable: 0 });
});

test("an authorization that is not captured in time is voided", async ({ tenant, api, db }) => {
  const payment = await authorized(api);
  await db.sql`update payments set capture_before = now() - interval '1 second' where environment_id = ${tenant.merchant.test.id}`;
  await expect.poll(async () => (await read(tenant, payment.id)).status, { timeout: 60_000 }).toBe("VOIDED");
  const charge = chargeOf(await read(tenant, payment.id));
  expect(charge).toMatchObject({ status: "VOIDED", void_reason: "expired", available_actions: [] });
});

test("a refund that fails later gives the money back to the payment", async ({ tenant, api }) => {
  const payment = await captured(api, { card: aCard(CARDS.refundFails) });
  const accepted = (await api.call(refundPayment, { id: payment.id, body: { amount: 4_000 } })).ok();
  expect(accepted).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 4_000 });
  await expect.poll(async () => (await read(tenant, payment.id)).amount_refunded, { timeout: 60_000 }).toBe(0);
  const back = await read(tenant, payment.id);
  expect(back).toMatchObject({ status: "CAPTURED", amount_refundable: 10_000, available_actions: ["refund"] });
  expect(back.transactions[1]).toMatchObject({ type: "REFUND", status: "FAILED", amount: 4_000 });
});
