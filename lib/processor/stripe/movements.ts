import type Stripe from "stripe";
import type { RefundReason } from "@/lib/contract/transactions/words";
import type { Inquiry, Outcome, VoidRequest } from "../port";
import type { OutsideRefund } from "../records";
import { fromStripe, type StripeMoney } from "./amounts";
import { afterSending, type Budget, isMismatch, post, postOnceByState, toRequestFailure } from "./api";
import { chargeOf, METADATA, TRACE, traceMetadata } from "./outcomes";

type Movement = (
  budget: Budget,
  intent: Stripe.PaymentIntent,
  request: VoidRequest,
  money: StripeMoney,
) => Promise<Outcome>;

const refused = (note: string): Outcome => ({ kind: "declined", decline_code: null, note });

const RELEASED: Outcome = { kind: "approved", note: "released at Stripe" };
const ALREADY_REFUNDED: Outcome = { kind: "approved", note: "refunded at Stripe, by somebody else" };

/** Captures, voids and refunds of a freshly read PaymentIntent, each under its own reference. */
export function movements(stripe: Stripe) {
  const { paymentIntents, refunds } = stripe;
  const reread = (budget: Budget, id: string) =>
    paymentIntents.retrieve(id, { expand: ["latest_charge"] }, budget.options());

  /** A PaymentIntent can be captured once; the capture stores its reference atomically. */
  const capture: Movement = async (budget, intent, { reference, trace }, { amount }) => {
    if (intent.status !== "requires_capture") return captureOf(intent, reference, amount);
    const metadata = { ...traceMetadata(TRACE.capture, trace), [METADATA.capture]: reference };
    const parameters = { amount_to_capture: amount, metadata };
    try {
      await postOnceByState(budget, reference, (options) => paymentIntents.capture(intent.id, parameters, options));
      return { kind: "approved" };
    } catch (error) {
      const now = await checkWhenDecided(error, () => reread(budget, intent.id));
      if (now.status === "requires_capture") return refusal(error);
      return captureOf(now, reference, amount);
    }
  };

  /**
   * Stripe doesn't return the purpose of a cancel, so its reference is stored first; of several, one wins.
   */
  const cancel: Movement = async (budget, intent, request, money) => {
    const { reference, evenCaptured, trace } = request;
    if (evenCaptured && intent.status === "succeeded") return refund(budget, intent, request, money);
    // The hold is already released, perhaps manually after an earlier attempt had stored its reference.
    if (evenCaptured && intent.status === "canceled" && intent.metadata[METADATA.void] !== reference) return RELEASED;
    if (intent.status !== "requires_capture") return voidOf(intent, reference);
    const marked = intent.metadata[METADATA.void] ?? "nobody";
    try {
      if (marked !== reference) {
        // If several callers read the same mark, the first to use this key writes the next one.
        const metadata = { ...traceMetadata(TRACE.void, trace), [METADATA.void]: reference };
        await postOnceByState(budget, `${intent.id}:void-after:${marked}`, (options) =>
          paymentIntents.update(intent.id, { metadata }, options),
        );
      }
    } catch (error) {
      if (isMismatch(error)) return refused("another void of the same payment came first");
      throw error;
    }
    try {
      await postOnceByState(budget, reference, (options) => paymentIntents.cancel(intent.id, {}, options));
      return { kind: "approved" };
    } catch (error) {
      const now = await checkWhenDecided(error, () => reread(budget, intent.id));
      if (now.status === "requires_capture") return refusal(error);
      return voidOf(now, reference);
    }
  };

  /**
   * Stripe deletes keys after a day but keeps refunds, so a listed refund is never sent again. A stored error
   * is not avoided with another key, because the refund may still appear.
   */
  const refund: Movement = async (budget, intent, request, { amount }) => {
    const { reference } = request;
    const before = await findRefund(budget, intent.id, reference);
    if (before) return keptRefund(before, request);
    // Already refunded completely in the dashboard, so there is nothing left to refund.
    if (request.evenCaptured && chargeOf(intent)?.refunded) return ALREADY_REFUNDED;
    if (intent.status !== "succeeded") return refused(`the PaymentIntent is ${intent.status}`);
    const reason = reasonOf(request.reason);
    try {
      const created = await post(budget, reference, (options) =>
        refunds.create(
          {
            payment_intent: intent.id,
            metadata: { ...traceMetadata(TRACE.own, request.trace), [METADATA.reference]: reference },
            // A late approval is refunded completely, whatever is left of it.
            ...(!request.evenCaptured && { amount }),
            ...(reason && { reason }),
          },
          options,
        ),
      );
      return await keptRefund(created, request);
    } catch (error) {
      const listed = await checkWhenDecided(error, () => findRefund(budget, intent.id, reference));
      return listed ? keptRefund(listed, request) : refusal(error);
    }
  };

  async function findRefund(budget: Budget, intent: string, reference: string): Promise<Stripe.Refund | null> {
    for await (const one of refunds.list({ payment_intent: intent, limit: 100 }, budget.options()))
      if (one.metadata?.[METADATA.reference] === reference) return one;
    return null;
  }

  /** Refunds without our reference, which were made at Stripe. */
  async function outside(budget: Budget, intent: string): Promise<OutsideRefund[]> {
    const found: OutsideRefund[] = [];
    for await (const one of refunds.list({ payment_intent: intent, limit: 100 }, budget.options())) {
      if (one.metadata?.[METADATA.reference]) continue;
      found.push({ id: one.id, ...fromStripe(one), failed: one.status === "failed" || one.status === "canceled" });
    }
    return found.toReversed();
  }

  /** The outcome under this reference. */
  async function find(
    budget: Budget,
    intent: Stripe.PaymentIntent,
    kind: "capture" | "void" | "refund",
    reference: string,
  ): Promise<Inquiry> {
    switch (kind) {
      case "capture":
        return intent.metadata[METADATA.capture] === reference ? { kind: "approved" } : { kind: "not_found" };
      case "void": {
        const isThisVoid = intent.status === "canceled" && intent.metadata[METADATA.void] === reference;
        if (isThisVoid || intent.status !== "succeeded")
          return isThisVoid ? { kind: "approved" } : { kind: "not_found" };
        return find(budget, intent, "refund", reference);
      }
      case "refund": {
        const found = await findRefund(budget, intent.id, reference);
        return found ? refundOutcome(found) : { kind: "not_found" };
      }
      default:
        return kind satisfies never;
    }
  }

  return { capture, void: cancel, refund, find, outside };
}

/**
 * For a payment that can no longer be captured. A capture of the same amount made at Stripe counts as ours.
 */
function captureOf(intent: Stripe.PaymentIntent, reference: string, amount: number): Outcome {
  const by = intent.metadata[METADATA.capture];
  if (intent.status !== "succeeded") return refused(`the PaymentIntent is ${intent.status}`);
  if (by === reference) return { kind: "approved" };
  if (by !== undefined) return refused("another capture of the same payment came first");
  if (intent.amount_received !== amount) return refused(`it was captured at Stripe, with ${intent.amount_received}`);
  return { kind: "approved", note: "captured at Stripe, by somebody else" };
}

/**
 * For a payment that was canceled or can no longer be. One that was canceled at Stripe counts as released.
 */
function voidOf(intent: Stripe.PaymentIntent, reference: string): Outcome {
  const by = intent.metadata[METADATA.void];
  if (intent.status !== "canceled") return refused(`the PaymentIntent is ${intent.status}`);
  if (by === reference) return { kind: "approved" };
  if (by !== undefined) return refused("another void of the same payment came first");
  if (chargeOf(intent)?.status !== "succeeded") return refused("it was canceled before it was authorized");
  return { kind: "approved", note: `released at Stripe (${intent.cancellation_reason ?? "no reason"})` };
}

/** A refund's id is only known after execution. Later calls find it by its reference. */
async function keptRefund(refund: Stripe.Refund, { keep }: VoidRequest): Promise<Outcome> {
  await keep({ kind: "refund", id: refund.id });
  return refundOutcome(refund);
}

function refundOutcome({ status, failure_reason }: Stripe.Refund): Outcome {
  switch (status) {
    case "succeeded":
      return { kind: "approved" };
    case "pending":
    case "requires_action":
      return { kind: "pending" };
    case "failed":
    case "canceled":
      return { kind: "declined", decline_code: null, ...(failure_reason && { note: failure_reason }) };
    default:
      return { kind: "unknown", reason: `Stripe says ${status} of the refund` };
  }
}

/** Stripe supports three reasons; others are omitted. */
function reasonOf(reason: RefundReason | null): "duplicate" | "fraudulent" | "requested_by_customer" | null {
  switch (reason) {
    case "DUPLICATE":
      return "duplicate";
    case "FRAUDULENT":
      return "fraudulent";
    case "CUSTOMER_REQUEST":
    case "RETURN":
      return "requested_by_customer";
    case "OTHER":
    case null:
      return null;
    default:
      return reason satisfies never;
  }
}

/** Reads the state again after the final response of a key; rethrows other errors. */
async function checkWhenDecided<T>(error: unknown, look: () => Promise<T>): Promise<T> {
  const failure = toRequestFailure(error);
  const isDecided =
    failure.kind === "refused" || failure.kind === "card" || (failure.kind === "unknown" && failure.isOver);
  if (!isDecided) throw error;
  return afterSending(look);
}

/** The outcome of a refused request; rethrows other errors. */
function refusal(error: unknown): Outcome {
  const failure = toRequestFailure(error);
  if (failure.kind === "refused")
    return { kind: "declined", decline_code: null, note: failure.note, refusal: failure.refusal };
  if (failure.kind === "card") return refused(failure.note);
  throw error;
}
