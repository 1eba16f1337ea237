import type { Transaction } from "@/db/client";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import { forgetUnpaid, lockInvoice, lockOpenInvoices, lockSubscription, runOn } from "@/db/queries/subscriptions/rows";
import { readSubscriptionSettings } from "@/db/queries/subscriptions/settings";
import type { PaymentRow } from "@/db/schema/payments";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { AppError } from "@/lib/contract/errors";
import { type Context, environmentNow, type Result, type Service } from "../context";
import type { OpenOperation } from "../payments/operation";
import type { Change } from "../payments/outcome";
import { announce, applyPayment, type PaymentResult } from "./apply-payment";
import { payInvoiceAction, presentInvoice, presentSubscription, type ShownIn } from "./present";
import { writeMove } from "./write-move";

/**
 * Applies a payment's outcome to its invoice, in T2's transaction, which has locked the payment. An invoice
 * whose payment is authorized but not captured waits until that is captured or voided. Returns the response
 * of the request; null if that is the payment's.
 */
export async function settlePayment(
  service: Service,
  tx: Transaction,
  operation: OpenOperation,
  change: Change,
): Promise<Result | null> {
  const { payment, charge } = change;
  if (payment.invoice_id === null || charge.subscription_id === null || !decides(operation, payment)) return null;
  const begins = operation.kind === "authorize" || operation.kind === "continue";
  const environment = { id: operation.environmentId, mode: operation.mode };
  return applyResult(
    tx,
    { service, environment },
    {
      subscriptionId: charge.subscription_id,
      invoiceId: payment.invoice_id,
      paymentId: payment.id,
      result: resultOf(change),
      nextAction: payment.next_action,
      now: payment.updated_at,
      by: { actor: operation.actor, requestId: operation.requestId },
      operationId: operation.id,
      endpoint: begins ? endpointOf(operation, payment) : null,
    },
  );
}

/**
 * True if the operation decides on the payment: a capture or void may be refused, or may undo a late
 * approval.
 */
function decides({ kind }: OpenOperation, { status }: PaymentRow): boolean {
  if (kind === "capture") return status === "CAPTURED";
  if (kind === "void") return status === "VOIDED";
  return kind === "authorize" || kind === "continue";
}

/**
 * The endpoint of the request. A payment that wasn't captured is refused, except that it leaves a new
 * subscription INCOMPLETE.
 */
function endpointOf({ request }: OpenOperation, { status }: PaymentRow): string | null {
  const endpoint = request?.endpoint ?? null;
  return status === "AUTHORIZED" && endpoint !== "createSubscription" ? null : endpoint;
}

function resultOf({ payment, charge }: Change): PaymentResult {
  const methodId = payment.payment_method_id;
  switch (payment.status) {
    case "CAPTURED":
      return { kind: "paid", methodId, isStored: payment.saves_card };
    case "PENDING":
    case "REQUIRES_ACTION":
    case "AUTHORIZED":
      return { kind: "waits" };
    case "FAILED":
      return { kind: "unsent", methodId };
    default:
      return {
        kind: "failed",
        declineCode: charge.decline_code,
        methodId,
        needsCustomer: payment.initiator === "merchant" && charge.decline_code === "authentication_failed",
      };
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
async function applyResult(tx: Transaction, shownIn: ShownIn, settled: Settled): Promise<Result | null> {
  const run = runOn(tx);
  const { environment } = shownIn;
  const { subscriptionId, invoiceId, paymentId, result, now } = settled;
  const subscription = await lockSubscription(run, environment.id, subscriptionId);
  const open = await lockOpenInvoices(run, environment.id, subscriptionId);
  const invoice = open.find(({ id }) => id === invoiceId) ?? (await lockInvoice(run, environment.id, invoiceId));
  if (!subscription || invoice?.open_payment_id !== paymentId) {
    throw new Error(`payment ${paymentId} pays no invoice that waits for it`);
  }
  const others = open.filter(({ id }) => id !== invoiceId);
  const dunning = await readSubscriptionSettings(tx, environment.id);
  const move = applyPayment({ subscription, invoice, others }, result, { now, dunning });
  if (move === "forget") {
    const isUnseen = subscription.event_sequence === 0;
    await forgetUnpaid(run, environment.id, { invoiceId, subscriptionId: isUnseen ? subscriptionId : null });
    return null;
  }
  const isUnconfirmed = result.kind === "failed" && invoice.status === "DRAFT";
  const nextAction = isUnconfirmed ? payInvoiceAction(shownIn, move.subscription) : settled.nextAction;
  const { by, operationId } = settled;
  const locked = { subscription, invoices: [...others, invoice] };
  const written = await writeMove(run, shownIn, { locked, move, by, now, operationId, nextAction });
  const isRefused = (result.kind === "failed" && !isUnconfirmed) || result.kind === "unsent";
  if (isRefused || settled.endpoint === null) return null;
  return { kind: "made", made: madeFor({ ...settled, nextAction }, shownIn, written, invoice) };
}

/** The object that an endpoint returns. */
function madeFor(
  { endpoint, nextAction, invoiceId }: Settled,
  shownIn: ShownIn,
  written: { subscription: SubscriptionRow; invoices: InvoiceRow[] },
  unchanged: InvoiceRow,
): object {
  if (endpoint !== "payInvoice") {
    return presentSubscription(written.subscription, shownIn.environment.mode, nextAction);
  }
  return presentInvoice(shownIn, written.invoices.find(({ id }) => id === invoiceId) ?? unchanged);
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
    const now = environmentNow(ctx).toISOString();
    const move = announce({ subscription, invoice, others: [] }, now);
    const by = { actor, requestId: request.id };
    const locked = { subscription, invoices: [invoice] };
    const written = await writeMove(run, ctx, { locked, move, by, now });
    if (request.endpoint === "payInvoice") return presentInvoice(ctx, written.invoices[0] ?? invoice);
    return presentSubscription(written.subscription, mode, null);
  });
}

const outcomeKnown = () =>
  new AppError("idempotency_request_in_progress", "The payment has just ended. Send the request again with its key.", {
    retryAfterSeconds: 1,
  });
