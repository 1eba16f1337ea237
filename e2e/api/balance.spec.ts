import {
  getBalance,
  getPayout,
  getSettlementBatch,
  listMovements,
  listPayouts,
  listSettlementBatches,
} from "@/lib/contract/settlement/endpoints";
import { runPayouts } from "@/lib/domain/settlement/payouts";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { expect, test } from "../fixtures/playwright";
import { captured } from "../samples";

test("the balance follows a payment from capture to payout, and each entry has a description", async ({
  tenant,
  api,
}) => {
  const { service } = tenant.context();
  const payment = await captured(api, { amount: 700 });
  const balance = async () => (await api.call(getBalance)).ok().currencies;
  expect(await balance()).toEqual([{ currency: "USD", pending: 700, available: 0, in_payout: 0, in_dispute: 0 }]);
  await runSettlement(service, { environmentId: tenant.merchant.test.id });
  // The service's own job may have created the payout already.
  const [settled] = await balance();
  expect([settled?.pending, (settled?.available ?? 0) + (settled?.in_payout ?? 0)]).toEqual([0, 700]);
  await runPayouts(service);
  expect(await balance()).toEqual([{ currency: "USD", pending: 0, available: 0, in_payout: 700, in_dispute: 0 }]);

  const [payout] = (await api.call(listPayouts, { query: { currency: "USD" } })).ok().data;
  expect(payout).toMatchObject({ object: "payout", amount: 700, currency: "USD", failure_reason: null });
  expect((await api.call(getPayout, { id: payout?.id as string })).ok()).toMatchObject({ id: payout?.id, amount: 700 });
  const [batch] = (await api.call(listSettlementBatches)).ok().data;
  expect(batch).toMatchObject({ net_amount: 700, charge_count: 1, transaction_count: 1, payout_id: payout?.id });
  expect((await api.call(getSettlementBatch, { id: batch?.id as string })).ok()).toEqual(batch);
  expect(payout?.settlement_batch_ids).toEqual([batch?.id]);

  const none = { transaction_id: null, settlement_batch_id: null, payout_id: null };
  expect((await api.call(listMovements)).ok()).toMatchObject({
    total: 3,
    data: [
      { type: "payout", amount: -700, ...none, payout_id: payout?.id },
      { type: "settlement", amount: 700, ...none, settlement_batch_id: batch?.id },
      { type: "capture", amount: 700, ...none, transaction_id: payment.transactions[0]?.id },
    ],
  });
});

test("invalid filters are rejected rather than ignored", async ({ api }) => {
  for (const [endpoint, query, param] of [
    [listMovements, { type: "bonus" }, "type"],
    [listMovements, { limit: "0" }, "limit"],
    [listMovements, { starting_after: "mov_x" }, "starting_after"],
    [listPayouts, { status: "SENT" }, "status"],
    [listPayouts, { created_after: "2026-12-01", created_before: "2026-11-01" }, "created_after"],
    [listSettlementBatches, { currency: "usd" }, "currency"],
    [listSettlementBatches, { starting_after: "batch_x", offset: "1" }, "starting_after"],
  ] as const) {
    const refusal = (await api.call(endpoint, { query })).problem("invalid_parameter");
    expect(refusal, JSON.stringify(query)).toMatchObject({ status: 400, errors: [{ param }] });
  }
});
