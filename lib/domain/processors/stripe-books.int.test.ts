import { expect, onTestFinished, test } from "vitest";
import { messageOf, TEST_WEBHOOK_SECRET } from "@/e2e/doubles/stripe/deliveries";
import { startDouble } from "@/e2e/doubles/stripe/double";
import { connectingTenant } from "@/e2e/fixtures/connections";
import { testDatabase } from "@/e2e/fixtures/database";
import { decodeId } from "@/lib/contract/ids";
import type { Connector } from "@/lib/processor/connector";
import { STRIPE } from "@/lib/processor/stripe/connector";
import { getPaymentDetail } from "../payments/payment-detail";
import { processReport } from "../payments/process-reports";
import { connectProcessor } from "./connections";
import { reconcile } from "./reconciliation";

const { db } = await testDatabase();
const HOUR_MS = 3_600_000;

/** A merchant whose payments go through the Stripe connector to a double. */
async function withStripe() {
  const double = await startDouble();
  onTestFinished(() => double.stop());
  const stripe: Connector = {
    ...STRIPE,
    create: (options) => STRIPE.create({ ...options, endpoint: double.endpoint }),
  };
  const tenant = await connectingTenant(db, { connectors: [stripe] });
  const { id } = await connectProcessor(tenant.owner(), {
    processor: "stripe",
    label: "Shop",
    credentials: { secret_key: double.secretKey, webhook_secret: TEST_WEBHOOK_SECRET },
  });
  const pay = async (body: object = {}) => {
    const { status, body: payment } = await tenant.create({ payment_token: "pm_card_visa", ...body });
    expect(status).toBe(201);
    return payment;
  };
  // Ten minutes later, when no operation is in progress.
  const clock = { now: () => new Date(Date.now() + HOUR_MS / 6) };
  const compare = () =>
    reconcile({ ...tenant.service, clock }, { connectionId: id, since: new Date(Date.now() - HOUR_MS) });
  const intentOf = async (payment: { id: string }) => {
    const detail = await getPaymentDetail(tenant.owner(), { id: payment.id });
    return detail.processor?.objects.find(({ kind }) => kind === "payment_intent")?.id as string;
  };
  return { double, tenant, connection: id, pay, compare, intentOf };
}

test("through Stripe's connector both books agree after charges, captures, voids and refunds, and differ where one was changed", async () => {
  const { double, tenant, pay, compare, intentOf } = await withStripe();
  const captured = await pay();
  await tenant.act("refund", captured.id, { amount: 2_500 });
  const held = await pay({ capture_method: "manual" });
  await tenant.act("capture", held.id, { amount: 4_000 });
  const voided = await pay({ capture_method: "manual" });
  await tenant.act("void", voided.id);
  await pay({ amount: 300, currency: "JPY" });
  expect(await compare()).toMatchObject({
    label: "Stripe (Shop)",
    payments: 4,
    refunds: 1,
    under_way: 0,
    difference_count: 0,
    unchecked: [],
  });
  // A refund in Stripe's dashboard, and a hold canceled there.
  double.books.createRefund({ intent: await intentOf(held), amount: 1_000, reason: null, metadata: {} });
  const lost = await pay({ capture_method: "manual" });
  double.books.cancel(await intentOf(lost), null);
  const found = await compare();
  expect(found.differences.map(({ kind, object, payment_id }) => `${kind} ${object} ${payment_id}`).toSorted()).toEqual(
    [`amounts_differ payment ${held.id}`, "only_there refund null", `states_differ payment ${lost.id}`],
  );
});

test("a dispute that Stripe sends messages about is on its payment, and so is its end", async () => {
  const { double, tenant, connection, pay, intentOf } = await withStripe();
  const payment = await pay({ payment_token: "pm_card_createDispute" });
  const [dispute] = [...double.books.disputes.values()];
  if (!dispute) throw new Error("the double opens a dispute for this card");
  /** Delivers every message that Stripe sends about disputes, signed, to our address. */
  const deliver = async () => {
    const reporter = await tenant.service.processors.reporter(decodeId("connection", connection) as string);
    const pushed = reporter?.processor.reports;
    if (!reporter || pushed?.kind !== "pushed") throw new Error("Stripe's reports are pushed");
    const events = double.books.events.filter(({ type }) => type.startsWith("charge.dispute."));
    const reports = (await Promise.all(events.map(async (event) => pushed.read(messageOf(event))))).flat();
    expect(reports.length).toBeGreaterThan(0);
    for (const report of reports) await expect.poll(() => processReport(tenant.service, reporter, report)).toBe(true);
  };
  const shown = async () => (await getPaymentDetail(tenant.owner(), { id: payment.id })).disputes;
  await deliver();
  expect(await shown()).toMatchObject([
    { status: "NEEDS_RESPONSE", reason: "FRAUDULENT", amount: 10_000, processor_id: dispute.id },
  ]);
  double.books.endDispute(dispute.id, "lost");
  await deliver();
  expect(await shown()).toMatchObject([{ status: "LOST", processor_id: dispute.id }]);
  expect(await intentOf(payment)).toMatch(/^pi_/);
});
