import type { Transaction } from "@/db/client";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import { forgetUnpaid, lockInvoice, lockOpenInvoices, lockSubscription, runOn } from "@/db/queries/subscriptions/rows";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { AppError } from "@/lib/contract/errors";
import { type Context, type Environment, environmentNow, type Result } from "../context";
import type { OpenOperation } from "../payments/operation";
import type { Change } from "../payments/outcome";
import { applyPayment, type PaymentResult } from "./apply-payment";
import { presentInvoice, presentSubscription } from "./present";
import { writeMove } from "./write-move";

/** Applies a payment's outcome to its invoice, in T2's transaction, which has locked the payment. */
export async function settlePayment(tx: Transaction, operation: OpenOperation, change: Change): Promise<Result | null> {
  const { payment, charge } = change;
  if (payment.invoice_id === null || charge.subscription_id === null) return null;
  if (operation.kind !== "authorize" && operation.kind !== "continue") return null;
  const environment = { id: operation.environmentId, mode: operation.mode };
  return applyResult(tx, environment, {
    ...{ subscriptionId: charge.subscription_id, invoiceId: payment.invoice_id, paymentId: payment.id },
    ...{ result: resultOf(change), nextAction: payment.next_action, now: payment.updated_at },
    by: { actor: operation.actor, requestId: operation.requestId },
    operationId: operation.id,
    endpoint: operation.request?.endpoint ?? null,
  });
}

function resultOf({ payment, charge }: Change): PaymentResult {
  switch (payment.status) {
    case "CAPTURED":
      return { kind: "paid" };
    case "PENDING":
    case "REQUIRES_ACTION":
      return { kind: "waits" };
    default:
      // An authorization without a capture pays nothing; the merchant may capture or void it.
      return { kind: "failed", declineCode: charge.decline_code, methodId: payment.payment_method_id };
  }
}

type Settled = {
  readonly subscriptionId: string;
  readonly invoiceId: string;
  readonly paymentId: string;
  readonly result: PaymentResult;
  readonly nextAction: Change["payment"]["next_action"];
  readonly now: string;
  readonly by: Parameters<typeof writeMove>[2]["by"];
  readonly operationId: string | null;
  /** Name of the request's endpoint, which decides the response; null without a request. */
  readonly endpoint: string | null;
};

/**
 * Applies a payment's result to invoice and subscription. Returns the caller's response; null without one.
 */
async function applyResult(
  tx: Transaction,
  environment: Pick<Environment, "id" | "mode">,
  settled: Settled,
): Promise<Result | null> {
  const run = runOn(tx);
  const { subscriptionId, invoiceId, paymentId, result, now } = settled;
  const subscription = await lockSubscription(run, environment.id, subscriptionId);
  const open = await lockOpenInvoices(run, environment.id, subscriptionId);
  const invoice = open.find(({ id }) => id === invoiceId) ?? (await lockInvoice(run, environment.id, invoiceId));
  if (!subscription || invoice?.open_payment_id !== paymentId) {
    throw new Error(`payment ${paymentId} pays no invoice that waits for it`);
  }
  const others = open.filter(({ id }) => id !== invoiceId);
  const move = applyPayment({ subscription, invoice, others }, result, now);
  if (move === "forget") {
    const isUnseen = subscription.event_sequence === 0;
    await forgetUnpaid(run, environment.id, { invoiceId, subscriptionId: isUnseen ? subscriptionId : null });
    return null;
  }
  const { by, operationId, nextAction } = settled;
  const locked = { subscription, invoices: [...others, invoice] };
  const written = await writeMove(run, environment, { locked, move, by, now, operationId, nextAction });
  if (result.kind === "failed" || settled.endpoint === null) return null;
  return { kind: "made", made: madeFor(settled, environment, written, invoice) };
}

/** The object that an endpoint returns. */
function madeFor(
  { endpoint, nextAction, invoiceId }: Settled,
  { mode }: Pick<Environment, "mode">,
  written: { subscription: SubscriptionRow; invoices: InvoiceRow[] },
  unchanged: InvoiceRow,
): object {
  if (endpoint !== "payInvoice") return presentSubscription(written.subscription, mode, nextAction);
  return presentInvoice(written.invoices.find(({ id }) => id === invoiceId) ?? unchanged, mode);
}

/**
 * Makes the INCOMPLETE subscription or OPEN invoice of a payment without an outcome visible to callers.
 * Returns the object to respond with; null if the payment is for no invoice.
 */
export async function announcePending(
  ctx: Context,
  { payment, transactions }: PaymentSnapshot,
): Promise<object | null> {
  const { service, environment, actor, request } = ctx;
  const { invoice_id: invoiceId } = payment;
  const subscriptionId = transactions.find(({ id }) => id === payment.charge_id)?.subscription_id ?? null;
  if (invoiceId === null || subscriptionId === null) return null;
  const { mode } = environment;
  return service.db.within(environment.id).sql.begin(async (tx) => {
    const run = runOn(tx);
    const subscription = await lockSubscription(run, environment.id, subscriptionId);
    const invoice = await lockInvoice(run, environment.id, invoiceId);
    // The payment was declined in the meantime.
    if (!subscription || !invoice) throw outcomeKnown();
    const others: InvoiceRow[] = [];
    const now = environmentNow(ctx).toISOString();
    const move = applyPayment({ subscription, invoice, others }, { kind: "waits" }, now);
    if (move === "forget") throw outcomeKnown();
    const by = { actor, requestId: request.id };
    const locked = { subscription, invoices: [invoice] };
    const written = await writeMove(run, environment, { locked, move, by, now });
    if (request.endpoint === "payInvoice") return presentInvoice(written.invoices[0] ?? invoice, mode);
    return presentSubscription(written.subscription, mode, null);
  });
}

const outcomeKnown = () =>
  new AppError("idempotency_request_in_progress", "The payment has just ended. Send the request again with its key.", {
    retryAfterSeconds: 1,
  });
