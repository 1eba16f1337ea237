import { randomBytes } from "node:crypto";
import type Stripe from "stripe";
import type { Behavior, Decline } from "./cards";
import { ApiError, found, invalid, refuse } from "./errors";
import * as shapes from "./shapes";
import { Cards, type Method, type Tell } from "./stored-cards";

export type Terms = {
  livemode: boolean;
  /** `acct_…`: the owner of these books. */
  accountId: string;
  /** Min amount of a charge, in minor units. */
  minimumAmount: number;
  /** URL of the challenge page of a PaymentIntent or SetupIntent. */
  challengeAddress: (intent: string) => string;
  now: () => number;
};

type Confirmation = {
  method: string;
  captureMethod: string | null;
  returnUrl: string | null;
  futureUsage: "off_session" | "on_session" | null;
  offSession: boolean;
};

const customerOf = ({ customer }: Stripe.PaymentIntent) => (typeof customer === "string" ? customer : null);

const CANCELABLE = new Set(["requires_payment_method", "requires_confirmation", "requires_action", "requires_capture"]);

/** Fields of evidence that take the id of a file. */
const FILE_FIELDS = new Set([
  ...["cancellation_policy", "customer_communication", "customer_signature", "duplicate_charge_documentation"],
  ...["receipt", "refund_policy", "service_documentation", "shipping_documentation", "uncategorized_file"],
]);
const MAX_EVIDENCE_BYTES = 4.5 * 1024 * 1024;

/**
 * The double's books: objects as the API returns them, and actions on them. Amounts are in Stripe's units.
 */
export class Books {
  readonly intents = new Map<string, Stripe.PaymentIntent>();
  readonly charges = new Map<string, Stripe.Charge>();
  readonly refunds = new Map<string, Stripe.Refund>();
  readonly disputes = new Map<string, Stripe.Dispute>();
  readonly files = new Map<string, Stripe.File & { sha256: string }>();
  readonly events: Stripe.Event[] = [];
  readonly cards: Cards;
  readonly #refusals = new Set<string>();
  readonly #returnUrls = new Map<string, string>();
  readonly #terms: Terms;

  constructor(terms: Terms) {
    this.#terms = terms;
    this.cards = new Cards(terms, this.#new, this.#tell);
  }

  get accountId(): string {
    return this.#terms.accountId;
  }

  #new = (prefix: string): shapes.Made => ({
    id: `${prefix}_${randomBytes(12).toString("hex")}`,
    created: this.#terms.now(),
    livemode: this.#terms.livemode,
  });

  /** True for the first confirmation under this key, with the card whose first confirmation is refused. */
  refuseOnce(key: string): boolean {
    const isFirst = !this.#refusals.has(key);
    this.#refusals.add(key);
    return isFirst;
  }

  createIntent(given: {
    amount: number;
    currency: string;
    metadata: Record<string, string>;
    captureMethod: string;
    description: string | null;
  }) {
    if (given.amount < this.#terms.minimumAmount)
      throw refuse("amount_too_small", "Amount must convert to at least 50 cents.", { param: "amount" });
    const intent = shapes.paymentIntent(this.#new("pi"), given);
    this.intents.set(intent.id, intent);
    return intent;
  }

  intent = (id: string) => found(this.intents.get(id), "payment_intent", id);

  confirm(id: string, given: Confirmation) {
    const intent = this.intent(id);
    if (intent.status !== "requires_payment_method" && intent.status !== "requires_confirmation")
      throw this.#wrongState(intent, "confirm");
    const method = this.cards.usable(given.method, customerOf(intent), given.offSession);
    if (given.captureMethod) intent.capture_method = given.captureMethod;
    if (given.returnUrl) this.#returnUrls.set(id, given.returnUrl);
    if (given.futureUsage) intent.setup_future_usage = given.futureUsage;
    intent.last_payment_error = null;
    intent.payment_method = given.method;
    if (method.behavior === "challenge") {
      if (!given.returnUrl) throw refuse("missing_return_url", "A return_url is needed for this card.");
      intent.status = "requires_action";
      const url = this.#terms.challengeAddress(id);
      intent.next_action = { type: "redirect_to_url", redirect_to_url: { return_url: given.returnUrl, url } };
      this.#tell("payment_intent.requires_action", intent);
      return intent;
    }
    if (method.behavior === "processing") {
      intent.status = "processing";
      this.#tell("payment_intent.processing", intent);
      return intent;
    }
    return this.#authorize(intent, method, false);
  }

  #authorize(intent: Stripe.PaymentIntent, method: Method, challenged: boolean) {
    const decline = this.cards.declines(method);
    if (decline) throw this.#decline(intent, method, decline);
    const captured = intent.capture_method !== "manual";
    const charge = this.#charge(intent, method, { captured, decline: null, challenged });
    const customer = customerOf(intent);
    if (customer !== null && intent.setup_future_usage !== null) this.cards.attach(method.object, customer);
    intent.next_action = null;
    intent.status = captured ? "succeeded" : "requires_capture";
    if (captured) intent.amount_received = intent.amount;
    else intent.amount_capturable = intent.amount;
    this.#tell(captured ? "payment_intent.succeeded" : "payment_intent.amount_capturable_updated", intent);
    if (method.behavior === "disputed") this.openDispute(charge, { amount: charge.amount, reason: "fraudulent" });
    return intent;
  }

  #charge(
    intent: Stripe.PaymentIntent,
    { object, behavior }: Method,
    how: { captured: boolean; decline: Decline | null; challenged: boolean },
  ): Stripe.Charge {
    if (!object.card) throw new Error("every method is a card");
    const { brand, last4, exp_month, exp_year } = object.card;
    const card = { brand, last4, exp_month, exp_year, fingerprint: object.card.fingerprint ?? null };
    const charge = shapes.charge(
      this.#new("ch"),
      intent,
      { id: object.id, card, behavior, address: object.billing_details.address, stored: object.customer !== null },
      how,
    );
    this.charges.set(charge.id, charge);
    intent.latest_charge = charge.id;
    return charge;
  }

  #decline(intent: Stripe.PaymentIntent, method: Method, decline: Decline): ApiError {
    const charge = this.#charge(intent, method, { captured: false, decline, challenged: false });
    const { code, decline_code, network_decline_code, message } = decline;
    const error = {
      charge: charge.id,
      code,
      decline_code,
      network_decline_code,
      message,
      advice_code: "try_again_later",
    };
    return this.#failed(intent, { ...error, type: "card_error" });
  }

  /** Fails the attempt; the payment can then be confirmed with another card. */
  #failed(intent: Stripe.PaymentIntent, error: { type: "card_error"; code: string; message: string }): ApiError {
    intent.status = "requires_payment_method";
    intent.payment_method = null;
    intent.next_action = null;
    intent.last_payment_error = error as Stripe.PaymentIntent.LastPaymentError;
    this.#tell("payment_intent.payment_failed", intent);
    return new ApiError(402, { ...error, payment_intent: structuredClone(intent) });
  }

  /**
   * Submits a shopper's challenge result. Returns the URL to go back to; null if there is no pending
   * challenge.
   */
  answerChallenge(id: string, passed: boolean): string | null {
    const intent = this.intents.get(id);
    const returnUrl = this.#returnUrls.get(id);
    const method = this.cards.find(typeof intent?.payment_method === "string" ? intent.payment_method : "");
    if (intent?.status !== "requires_action" || !method || !returnUrl) return null;
    if (passed) this.#authorize(intent, method, true);
    else {
      const message = "The provided PaymentMethod has failed authentication.";
      this.#failed(intent, { type: "card_error", code: "payment_intent_authentication_failure", message });
    }
    const back = new URL(returnUrl);
    back.searchParams.set("payment_intent", id);
    back.searchParams.set("payment_intent_client_secret", intent.client_secret ?? "");
    back.searchParams.set("redirect_status", passed ? "succeeded" : "failed");
    return back.href;
  }

  /** Decides a payment that is in processing. */
  endProcessing(id: string): void {
    const intent = this.intent(id);
    const method = this.cards.find(typeof intent.payment_method === "string" ? intent.payment_method : "");
    if (intent.status === "processing" && method) this.#authorize(intent, { ...method, behavior: "approve" }, false);
  }

  update(id: string, given: { metadata: Record<string, string>; customer: string | null }) {
    const intent = this.intent(id);
    if (given.customer !== null) {
      if (intent.status !== "requires_payment_method") throw this.#wrongState(intent, "update the customer of");
      intent.customer = this.cards.customer(given.customer).id;
    }
    Object.assign(intent.metadata, given.metadata);
    return intent;
  }

  capture(id: string, given: { amount: number | null; metadata: Record<string, string> }) {
    const intent = this.intent(id);
    if (intent.status !== "requires_capture") throw this.#wrongState(intent, "capture");
    const amount = given.amount ?? intent.amount_capturable;
    if (amount > intent.amount_capturable)
      throw refuse("amount_too_large", "The amount to capture is greater than the remaining amount.", {
        param: "amount_to_capture",
      });
    const charge = this.chargeOf(intent);
    if (this.#behaviorOf(intent) === "capture_fails")
      throw new ApiError(402, {
        type: "card_error",
        code: "card_declined",
        decline_code: "generic_decline",
        message: "The capture was declined.",
      });
    charge.captured = true;
    charge.amount_captured = amount;
    Object.assign(intent.metadata, given.metadata);
    intent.status = "succeeded";
    intent.amount_received = amount;
    intent.amount_capturable = 0;
    this.#tell("payment_intent.succeeded", intent);
    return intent;
  }

  cancel(id: string, reason: string | null) {
    const intent = this.intent(id);
    if (!CANCELABLE.has(intent.status)) throw this.#wrongState(intent, "cancel");
    const charge = intent.status === "requires_capture" ? this.chargeOf(intent) : null;
    if (charge) Object.assign(charge, { refunded: true, amount_refunded: charge.amount });
    Object.assign(intent, {
      status: "canceled",
      canceled_at: this.#terms.now(),
      cancellation_reason: reason,
      amount_capturable: 0,
      next_action: null,
    });
    this.#tell("payment_intent.canceled", intent);
    return intent;
  }

  createRefund(given: {
    intent: string;
    amount: number | null;
    reason: string | null;
    metadata: Record<string, string>;
  }) {
    const intent = this.intent(given.intent);
    if (intent.status !== "succeeded")
      throw refuse(
        "charge_not_refundable",
        `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
      );
    const charge = this.chargeOf(intent);
    const left = charge.amount_captured - charge.amount_refunded;
    const amount = given.amount ?? left;
    if (amount > left)
      throw left === 0
        ? refuse("charge_already_refunded", `Charge ${charge.id} has already been refunded.`)
        : refuse("amount_too_large", `Refund amount is greater than unrefunded amount on charge.`, { param: "amount" });
    const refund = shapes.refund(this.#new("re"), { ...given, amount, intent });
    if (this.#behaviorOf(intent) === "refund_pending") refund.status = "pending";
    this.#setRefunded(charge, charge.amount_refunded + amount);
    this.refunds.set(refund.id, refund);
    this.#tell("refund.created", refund);
    // The bank's reference arrives later and changes nothing: catches code that treats every update as a
    // failure.
    if (refund.status === "succeeded") this.#tell("refund.updated", refund);
    return refund;
  }

  #setRefunded(charge: Stripe.Charge, amount: number): void {
    charge.amount_refunded = amount;
    charge.refunded = amount === charge.amount_captured;
  }

  /** Ends a refund; a failed one returns the money to the merchant. */
  endRefund(id: string, status: "succeeded" | "failed"): void {
    const refund = found(this.refunds.get(id), "refund", id);
    if (refund.status === "failed" || refund.status === status) return;
    refund.status = status;
    if (status === "failed") {
      refund.failure_reason = "expired_or_canceled_card";
      const intent = this.intent(String(refund.payment_intent));
      const charge = this.chargeOf(intent);
      this.#setRefunded(charge, charge.amount_refunded - refund.amount);
    }
    this.#tell("refund.updated", refund);
    if (status === "failed") this.#tell("refund.failed", refund);
  }

  openDispute(charge: Stripe.Charge, given: { amount: number; reason: string }): Stripe.Dispute {
    const dispute = shapes.dispute(this.#new("du"), charge, given);
    charge.disputed = true;
    this.disputes.set(dispute.id, dispute);
    this.#tell("charge.dispute.created", dispute);
    return dispute;
  }

  endDispute(id: string, status: "won" | "lost"): void {
    const dispute = found(this.disputes.get(id), "dispute", id);
    dispute.status = status;
    this.#tell("charge.dispute.closed", dispute);
  }

  /** Evidence can be changed until it is submitted, which it can be once. */
  respond(id: string, given: Record<string, string>, submit: boolean): Stripe.Dispute {
    const dispute = this.#openDispute(id);
    for (const [name, value] of Object.entries(given)) {
      if (!(name in dispute.evidence)) throw invalid(`Received unknown parameter: evidence[${name}]`, name);
      const isFile = FILE_FIELDS.has(name);
      if (isFile && !this.files.has(value)) throw invalid(`No such file upload: '${value}'`, name);
      if (!isFile && value.length > 20_000) throw invalid("This value is too long.", name);
    }
    const total = [...FILE_FIELDS].reduce((sum, name) => sum + (this.files.get(given[name] ?? "")?.size ?? 0), 0);
    if (total > MAX_EVIDENCE_BYTES) throw invalid("The combined size of your files is more than 4.5 MB.", "evidence");
    dispute.evidence = { ...dispute.evidence, ...given };
    dispute.evidence_details.has_evidence = true;
    if (submit) {
      dispute.evidence_details.submission_count += 1;
      dispute.status = "under_review";
      this.#tell("charge.dispute.updated", dispute);
    }
    return dispute;
  }

  closeDispute(id: string): Stripe.Dispute {
    const dispute = this.#openDispute(id);
    dispute.status = "lost";
    this.#tell("charge.dispute.closed", dispute);
    return dispute;
  }

  #openDispute(id: string): Stripe.Dispute {
    const dispute = found(this.disputes.get(id), "dispute", id);
    if (dispute.status !== "needs_response") throw invalid(`This dispute is already ${dispute.status}.`, "id");
    return dispute;
  }

  createFile({
    filename = "",
    type = "",
    size,
    sha256 = "",
  }: { size: number } & Record<string, unknown> & {
      filename?: string;
      type?: string;
      sha256?: string;
    }): Stripe.File {
    const { id, created } = this.#new("file");
    const file = shapes.file({ id, created }, { filename, type: type.replace(/^.*\//, ""), size });
    this.files.set(id, { ...file, sha256 });
    return file;
  }

  chargeOf(intent: Stripe.PaymentIntent): Stripe.Charge {
    return found(this.charges.get(String(intent.latest_charge)), "charge", String(intent.latest_charge));
  }

  #behaviorOf(intent: Stripe.PaymentIntent): Behavior | null {
    return this.cards.behaviorOf(String(intent.payment_method));
  }

  /** True if refunds of the intent fail later. */
  refundFails = (refund: Stripe.Refund): boolean =>
    this.#behaviorOf(this.intent(String(refund.payment_intent))) === "refund_fails_later";

  #wrongState(intent: Stripe.PaymentIntent, what: string): ApiError {
    const message = `You cannot ${what} this PaymentIntent because it has a status of ${intent.status}.`;
    return refuse("payment_intent_unexpected_state", message, { payment_intent: structuredClone(intent) });
  }

  #tell: Tell = (type, object) => {
    const { id, created, livemode } = this.#new("evt");
    this.events.push({
      id,
      object: "event",
      api_version: null,
      created,
      // A snapshot: the object may change before the event is read.
      data: { object: structuredClone(object) },
      livemode,
      pending_webhooks: 1,
      request: null,
      type,
    } as Stripe.Event);
  };
}
