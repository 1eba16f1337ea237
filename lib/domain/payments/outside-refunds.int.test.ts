import { afterAll, describe, expect, test } from "vitest";
import { ApiError } from "@/e2e/doubles/stripe/errors";
import { stripeTenants } from "@/e2e/doubles/stripe/tenant";
import { companyOf } from "@/e2e/doubles/stripe/under-test";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import type { MoneyTenant } from "@/e2e/fixtures/money";
import { getPaymentDetail } from "./payment-detail";

const { db } = await testDatabase();
const { double, newTenant, takeIn, reportsOf, expectClean, listEvents } = await stripeTenants(db, afterAll);

describe("a refund made at Stripe", () => {
  async function paid(at = double) {
    const tenant = await newTenant(at);
    const { body: payment } = await tenant.create({ amount: 2_000, payment_token: "pm_card_visa" });
    const [operation] = await tenant.operations(payment.id);
    const intent = companyOf(at).intentOf(operation?.id ?? "")?.id ?? "";
    const refundThere = (amount: number) => at.books.createRefund({ intent, amount, reason: null, metadata: {} });
    return { tenant, id: payment.id as string, intent, refundThere };
  }
  const typesOf = async (tenant: MoneyTenant, object: string) =>
    (await listEvents(tenant.environmentId)).filter(({ data }) => data.object.id === object).map(({ type }) => type);

  test("counts, is reported and booked once, and a later refund of everything refunds what is left", async () => {
    const { tenant, id, refundThere } = await paid();
    const made = refundThere(500);
    const reports = await reportsOf(tenant);
    await takeIn(tenant, [...reports, ...reports].toReversed());
    await Promise.all(reports.map(async (report) => takeIn(tenant, [report])));
    const after = await tenant.get(id);
    expect(after).toMatchObject({
      status: "PARTIALLY_REFUNDED",
      amount_refunded: 500,
      amount_refundable: 1_500,
      transactions: [
        { amount_refunded: 500 },
        { type: "REFUND", status: "CAPTURED", amount: 500, refund_reason: null },
      ],
    });
    expect(await typesOf(tenant, id)).toEqual([
      ...["payment.captured", "payment.refunded_externally", "payment.partially_refunded"],
    ]);
    const detail = await getPaymentDetail(testContext(tenant.service, tenant.merchant.test), { id });
    expect(detail.timeline.at(-1)).toMatchObject({
      kind: "refund",
      outcome: "succeeded",
      title: "Refunded at the processor",
      amount: 500,
      actor: { name: "Cardlane" },
    });
    expect(detail.ledger.at(-1)).toMatchObject({ title: "Refund", amount: 500 });
    expect(await tenant.act("refund", id)).toMatchObject({ status: 201, body: { status: "REFUNDED" } });
    expect((await tenant.get(id)).transactions.at(-1)).toMatchObject({ type: "REFUND", amount: 1_500 });
    await expectClean();
    double.books.endRefund(made.id, "failed");
    await takeIn(tenant, await reportsOf(tenant));
    expect(await tenant.get(id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 1_500 });
    await expectClean();
  });

  test("is named by the refusal of an earlier refund, and booked with it", async () => {
    const { tenant, id, refundThere } = await paid();
    refundThere(500);
    const refused = await tenant.act("refund", id, {}, { key: "all" });
    expect(refused).toMatchObject({
      status: 422,
      code: "amount_exceeds_refundable",
      body: {
        remaining: 1_500,
        detail:
          "5.00 USD was refunded at the processor, outside of this API. At most 15.00 USD can be refunded. Send that amount or less, with a new idempotency key.",
      },
    });
    expect(await tenant.get(id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refundable: 1_500 });
    expect(await tenant.act("refund", id, {}, { key: "rest" })).toMatchObject({ status: 201 });
    expect(await tenant.get(id)).toMatchObject({ status: "REFUNDED", amount_refunded: 2_000 });
    await takeIn(tenant, await reportsOf(tenant));
    await expectClean();
  });

  test("is booked after a refund of ours that failed, though it was reported first", async () => {
    const { tenant, id, intent, refundThere } = await paid();
    const before = await reportsOf(tenant);
    const { body } = await tenant.act("refund", id);
    expect(body).toMatchObject({ status: "REFUNDED" });
    const ours = [...double.books.refunds.values()].find((refund) => refund.payment_intent === intent);
    double.books.endRefund(ours?.id ?? "", "failed");
    const failed = (await reportsOf(tenant)).slice(before.length);
    refundThere(500);
    const reported = (await reportsOf(tenant)).slice(before.length + failed.length);
    await takeIn(tenant, reported);
    expect(await tenant.get(id)).toMatchObject({ status: "REFUNDED", amount_refunded: 2_000 });
    await takeIn(tenant, failed);
    expect(await tenant.get(id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 500 });
    await expectClean();
  });

  test("concurrent with refunds here never exceeds what was captured, and the books agree", async () => {
    const { tenant, id, refundThere } = await paid();
    const here = Array.from({ length: 6 }, (_, i) => tenant.act("refund", id, { amount: 300 }, { key: `here-${i}` }));
    const there = [400, 300, 200].map(async (amount) => {
      await new Promise((resolve) => setImmediate(resolve));
      try {
        refundThere(amount);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
      await takeIn(tenant, await reportsOf(tenant));
    });
    await Promise.all([...here, ...there]);
    await takeIn(tenant, await reportsOf(tenant));
    const left = (await tenant.get(id)).amount_refundable;
    if (left > 0) expect(await tenant.act("refund", id)).toMatchObject({ status: 201 });
    expect(await tenant.get(id)).toMatchObject({ status: "REFUNDED", amount_refunded: 2_000 });
    await expectClean();
  });
});
