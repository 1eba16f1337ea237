import Stripe from "stripe";
import type { ConnectionCheck } from "../port";
import type { Dispute, PaymentOrigin, ProcessorObject, StatementEntry, StatementRange } from "../records";
import { fromStripe } from "./amounts";
import type { Budget } from "./api";
import { type AuthorizationStatus, authorizationStatus, chargeOf, METADATA, TRACE, traceIn } from "./outcomes";

const PAGE = 100;
const seconds = (time: Date) => Math.floor(time.getTime() / 1_000);
const timeOf = (created: number) => new Date(created * 1_000);

/** Stripe's list of payments and refunds created in a range, newest first. */
export async function* statement(stripe: Stripe, { since, until }: StatementRange): AsyncGenerator<StatementEntry> {
  const created = { gte: seconds(since), lt: seconds(until) };
  for await (const intent of stripe.paymentIntents.list({ created, limit: PAGE, expand: ["data.latest_charge"] })) {
    const state = stateOf(intent, authorizationStatus(intent));
    if (state === null) continue;
    const { amount, currency } = fromStripe(intent);
    const charge = chargeOf(intent);
    const minor = (units: number) => fromStripe({ amount: units, currency: intent.currency }).amount;
    yield {
      kind: "payment",
      object: { kind: "payment_intent", id: intent.id },
      reference: intent.metadata[METADATA.reference] ?? null,
      created_at: timeOf(intent.created),
      amount,
      currency,
      state,
      captured: minor(intent.amount_received),
      refunded: state === "captured" ? minor(charge?.amount_refunded ?? 0) : 0,
      ...originOf(intent),
    };
  }
  for await (const refund of stripe.refunds.list({ created, limit: PAGE })) {
    const { payment_intent: intent, status } = refund;
    if (intent === null) continue;
    yield {
      kind: "refund",
      object: { kind: "refund", id: refund.id },
      payment: typeof intent === "string" ? intent : intent.id,
      reference: refund.metadata?.[METADATA.reference] ?? null,
      trace: traceIn(TRACE.own, refund.metadata ?? {}),
      created_at: timeOf(refund.created),
      ...fromStripe(refund),
      state: status === "succeeded" ? "succeeded" : status === "failed" || status === "canceled" ? "failed" : "pending",
    };
  }
}

/** Metadata that we stored with an intent; empty for one that is not ours. */
function originOf({ metadata, capture_method, description }: Stripe.PaymentIntent): { origin?: PaymentOrigin } {
  const { [METADATA.reference]: reference, [METADATA.account]: account } = metadata;
  if (!reference || !account) return {};
  const step = (kind: "capture" | "void") => {
    const by = metadata[METADATA[kind]];
    return by === undefined ? null : { reference: by, trace: traceIn(TRACE[kind], metadata) };
  };
  const own = Object.entries(metadata).filter(([name]) => !name.startsWith("cardlane_"));
  return {
    origin: {
      account,
      manual: capture_method === "manual",
      description,
      metadata: Object.fromEntries(own),
      trace: traceIn(TRACE.own, metadata),
      capture: step("capture"),
      void: step("void"),
    },
  };
}

/** Null if the payment was never attempted, or its state is unclear. */
function stateOf(
  intent: Stripe.PaymentIntent,
  standing: AuthorizationStatus,
): "pending" | "action_required" | "authorized" | "captured" | "voided" | "declined" | null {
  if (intent.status === "canceled" && chargeOf(intent)?.status === "succeeded") return "voided";
  switch (standing.kind) {
    case "approved":
      return intent.status === "succeeded" ? "captured" : "authorized";
    case "declined":
    case "action_required":
    case "pending":
      return standing.kind;
    case "never":
    case "unconfirmed":
    case "unknown":
      return null;
    default:
      return standing satisfies never;
  }
}

/** Null if the account has no such dispute. */
export async function readDispute(stripe: Stripe, budget: Budget, id: string): Promise<Dispute | null> {
  try {
    const dispute = await stripe.disputes.retrieve(id, {}, budget.options());
    const { due_by, submission_count } = dispute.evidence_details;
    return {
      id: dispute.id,
      ...fromStripe(dispute),
      reason: disputeReason(dispute.reason),
      network_reason_code: dispute.network_reason_code ?? null,
      fee: disputeFee(dispute),
      withdrawn: dispute.balance_transactions.length > 0,
      submitted: submission_count > 0,
      status: disputeStatus(dispute.status),
      respond_by: due_by === null ? null : timeOf(due_by),
      created_at: timeOf(dispute.created),
    };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export const isMissing = (error: unknown) => error instanceof Stripe.errors.StripeError && error.statusCode === 404;

function disputeReason(reason: string): Dispute["reason"] {
  switch (reason) {
    case "fraudulent":
    case "unrecognized":
      return "FRAUDULENT";
    case "product_not_received":
      return "NOT_RECEIVED";
    case "product_unacceptable":
      return "NOT_AS_DESCRIBED";
    case "duplicate":
      return "DUPLICATE";
    case "subscription_canceled":
      return "CANCELLED";
    case "credit_not_processed":
      return "CREDIT_NOT_PROCESSED";
    default:
      return "OTHER";
  }
}

/** The amount withheld from the account's balance; null if nothing was yet, or in another currency. */
function disputeFee({ balance_transactions: taken, currency }: Stripe.Dispute): number | null {
  if (taken.length === 0 || taken.some((entry) => entry.currency !== currency)) return null;
  return fromStripe({ amount: taken.reduce((sum, { fee }) => sum + fee, 0), currency }).amount;
}

function disputeStatus(status: Stripe.Dispute.Status): Dispute["status"] {
  switch (status) {
    case "needs_response":
    case "warning_needs_response":
    case "appeal_needs_response":
      return "needs_response";
    case "lost":
      return "lost";
    // An inquiry that was closed, or that never became a dispute, took no money.
    case "won":
    case "prevented":
    case "warning_closed":
      return "won";
    // Statuses that Stripe may add later need a person's attention, too.
    default:
      return "under_review";
  }
}

const KEY = /^(?:sk|rk)_(test|live)_\w+$/;

/** Tests that Stripe accepts the key, and that its mode is the connection's. */
export async function checkConnection(
  stripe: Stripe,
  budget: Budget,
  { secretKey, live }: { secretKey: string; live: boolean },
): Promise<ConnectionCheck> {
  const refused = (reason: string): ConnectionCheck => ({ kind: "refused", reason });
  const mode = KEY.exec(secretKey)?.[1];
  if (!mode)
    return refused(
      "This is no secret key of Stripe's. It begins with sk_ or rk_; a publishable key (pk_) does not do.",
    );
  if (live && mode === "test") return refused("This is a key of Stripe's test mode. Live payments need a live key.");
  if (!live && mode === "live")
    return refused("This is a live key, which moves real money. Test payments need a key of Stripe's test mode.");
  try {
    const account = await readAccount(stripe, budget);
    if (account === null)
      return refused(
        "This restricted key may not read its account. Give it read access to that as well: payments must never go to another account than the one that made them.",
      );
    if (live && !account.charges_enabled)
      return refused(
        "Stripe has not enabled payments for this account yet. Finish its activation in Stripe's dashboard.",
      );
    const name = account.business_profile?.name ?? account.settings?.dashboard?.display_name;
    return { kind: "works", id: account.id, account: name ? `${name} (${account.id})` : account.id, live };
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    switch (error.statusCode) {
      case 401:
        return refused("Stripe does not accept this secret key. It may have been rolled, expired, or copied in part.");
      case 403:
        return refused(
          "This restricted key may not read the account. Give it write access to PaymentIntents, SetupIntents, Customers, Disputes and Files, and read access to Balance and Events.",
        );
      case 429:
        return { kind: "unreachable", reason: "Stripe takes no more requests for the moment. Try again in a minute." };
      default:
        return { kind: "unreachable", reason: "Stripe could not be reached, or gave no readable answer. Try again." };
    }
  }
}

/** Null if the key may read the balance, but not the account. */
async function readAccount(stripe: Stripe, budget: Budget): Promise<Stripe.Account | null> {
  try {
    return await stripe.accounts.retrieveCurrent({}, budget.options());
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripePermissionError)) throw error;
    await stripe.balance.retrieve({}, budget.options());
    return null;
  }
}

/** Address in Stripe's dashboard. A refund has no page of its own there; a search finds its payment. */
export function dashboardUrl({ kind, id }: ProcessorObject, live: boolean): string | null {
  const dashboard = `https://dashboard.stripe.com${live ? "" : "/test"}`;
  switch (kind) {
    case "payment_intent":
      return `${dashboard}/payments/${encodeURIComponent(id)}`;
    case "dispute":
      return `${dashboard}/disputes/${encodeURIComponent(id)}`;
    case "refund":
      return `${dashboard}/search?query=${encodeURIComponent(id)}`;
    default:
      return null;
  }
}
