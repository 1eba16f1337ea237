import { createHash } from "node:crypto";
import type Stripe from "stripe";
import { cardBrand } from "@/lib/contract/card-networks";
import { APPROVED_MERCHANT_CHARGES } from "@/lib/contract/sandbox-cards";
import { type Behavior, behaviorOf, type Decline, declineOf, TEST_TOKENS } from "./cards";
import { ApiError, found, refuse } from "./errors";
import * as shapes from "./shapes";

/** A card in use; `behavior` depends on whether the shopper is present. */
export type Method = { object: Stripe.PaymentMethod; behavior: Behavior; expired: boolean };

type NewMethod = {
  number: string;
  exp_month: number;
  exp_year: number;
  metadata: Record<string, string>;
  /** The cardholder's address; empty if none. */
  address: Record<string, string>;
};

type Terms = { challengeAddress(intent: string): string; now(): number };
type Told = Stripe.PaymentIntent | Stripe.Refund | Stripe.Dispute | Stripe.PaymentMethod;
export type Tell = (type: string, object: Told) => void;

const SINGLE_USE =
  "The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, or was detached from a Customer. It may not be used again.";

/** Payment methods with their customers, and checks without a payment. */
export class Cards {
  readonly customers = new Map<string, Stripe.Customer>();
  readonly setups = new Map<string, Stripe.SetupIntent>();
  readonly #methods = new Map<string, Method>();
  readonly #detached = new Set<string>();
  readonly #merchantCharges = new Map<string, number>();
  readonly #returnUrls = new Map<string, string>();
  readonly #terms: Terms;
  readonly #new: (prefix: string) => shapes.Made;
  readonly #tell: Tell;

  constructor(terms: Terms, make: (prefix: string) => shapes.Made, tell: Tell) {
    this.#terms = terms;
    this.#new = make;
    this.#tell = tell;
    for (const [id, number] of TEST_TOKENS)
      this.#keep(id, { number, exp_month: 12, exp_year: 2099, metadata: {}, address: {} });
  }

  #keep(id: string, { number, exp_month, exp_year, metadata, address }: NewMethod): Stripe.PaymentMethod {
    const fingerprint = createHash("sha256").update(number).digest("base64url").slice(0, 16);
    const shown = { brand: cardBrand(number) ?? "unknown", last4: number.slice(-4), exp_month, exp_year, fingerprint };
    const object = shapes.paymentMethod({ ...this.#new("pm"), id }, shown, { metadata, address });
    const expired = Date.UTC(exp_year, exp_month, 1) <= this.#terms.now() * 1_000;
    this.#methods.set(id, { object, behavior: behaviorOf(number), expired });
    return object;
  }

  create(card: NewMethod): Stripe.PaymentMethod {
    return this.#keep(this.#new("pm").id, card);
  }

  find = (id: string): Method | undefined => this.#methods.get(id);
  method = (id: string): Stripe.PaymentMethod => found(this.find(id), "PaymentMethod", id).object;
  behaviorOf = (id: string): Behavior | null => this.find(id)?.behavior ?? null;
  customer = (id: string): Stripe.Customer => found(this.customers.get(id), "customer", id);
  setup = (id: string): Stripe.SetupIntent => found(this.setups.get(id), "setupintent", id);

  createCustomer(metadata: Record<string, string>): Stripe.Customer {
    const customer = shapes.customer(this.#new("cus"), metadata);
    this.customers.set(customer.id, customer);
    return customer;
  }

  /** The card as it behaves for this customer, with or without the shopper. */
  usable(id: string, customer: string | null, offSession: boolean): Method {
    const method = found(this.find(id), "PaymentMethod", id);
    if (this.#detached.has(id)) throw refuse("payment_method_unactivated", SINGLE_USE);
    const owner = method.object.customer;
    if (owner !== null && owner !== customer)
      throw refuse(
        "payment_method_unexpected_state",
        "The PaymentMethod belongs to a Customer. Please include the Customer in the `customer` parameter.",
      );
    if (!offSession) return method;
    // The issuer exempts charges of a card that was set up with its holder.
    if (method.behavior === "challenge")
      return { ...method, behavior: owner === null ? "decline:authentication_failed" : "approve" };
    const code = /^merchant_decline:(\w+)$/.exec(method.behavior)?.[1];
    if (code) return { ...method, behavior: `decline:${code}` as Behavior };
    if (method.behavior !== "merchant_declines_later") return method;
    const before = this.#merchantCharges.get(id) ?? 0;
    if (before >= APPROVED_MERCHANT_CHARGES) return { ...method, behavior: "decline:insufficient_funds" };
    this.#merchantCharges.set(id, before + 1);
    return method;
  }

  declines = ({ behavior, expired }: Method): Decline | null => declineOf(expired ? "decline:expired_card" : behavior);

  attach(method: Stripe.PaymentMethod, customer: string): void {
    method.customer = customer;
  }

  detach(id: string): Stripe.PaymentMethod {
    const method = this.method(id);
    if (method.customer === null)
      throw refuse("payment_method_unexpected_state", "The payment method you provided is not attached to a customer.");
    method.customer = null;
    this.#detached.add(id);
    this.#tell("payment_method.detached", method);
    return method;
  }

  /** The network replaces a stored card's expiry. */
  renew(id: string, exp_month: number, exp_year: number): void {
    const method = found(this.find(id), "PaymentMethod", id);
    if (method.object.card) Object.assign(method.object.card, { exp_month, exp_year });
    method.expired = false;
    this.#tell("payment_method.automatically_updated", method.object);
  }

  /** Creates and confirms a check. */
  createSetup(given: {
    customer: string;
    method: string;
    returnUrl: string | null;
    metadata: Record<string, string>;
  }): Stripe.SetupIntent {
    const { id: customer } = this.customer(given.customer);
    const method = this.usable(given.method, customer, false);
    const intent = shapes.setupIntent(this.#new("seti"), { customer, method: given.method, metadata: given.metadata });
    this.setups.set(intent.id, intent);
    if (method.behavior !== "challenge") return this.#authorize(intent, method);
    if (!given.returnUrl) throw refuse("missing_return_url", "A return_url is needed for this card.");
    this.#returnUrls.set(intent.id, given.returnUrl);
    intent.status = "requires_action";
    const url = this.#terms.challengeAddress(intent.id);
    intent.next_action = { type: "redirect_to_url", redirect_to_url: { return_url: given.returnUrl, url } };
    return intent;
  }

  #authorize(intent: Stripe.SetupIntent, method: Method): Stripe.SetupIntent {
    const decline = this.declines(method);
    if (decline) {
      const { code, decline_code, network_decline_code, message } = decline;
      throw this.#failed(intent, { type: "card_error", code, decline_code, network_decline_code, message });
    }
    intent.status = "succeeded";
    intent.next_action = null;
    if (typeof intent.customer === "string") this.attach(method.object, intent.customer);
    return intent;
  }

  /** Fails the check; it can then be confirmed with another card. */
  #failed(intent: Stripe.SetupIntent, error: Stripe.SetupIntent.LastSetupError & { code: string; message: string }) {
    Object.assign(intent, { status: "requires_payment_method", payment_method: null, next_action: null });
    intent.last_setup_error = error;
    return new ApiError(402, { ...error, setup_intent: structuredClone(intent) });
  }

  cancelSetup(id: string, reason: "abandoned" | "duplicate" | "requested_by_customer" | null): Stripe.SetupIntent {
    const intent = this.setup(id);
    if (intent.status === "succeeded" || intent.status === "canceled" || intent.status === "processing")
      throw refuse(
        "setup_intent_unexpected_state",
        `You cannot cancel this SetupIntent because it has a status of ${intent.status}.`,
        { setup_intent: structuredClone(intent) },
      );
    Object.assign(intent, { status: "canceled", cancellation_reason: reason, next_action: null });
    return intent;
  }

  /** The URL to return to; null if no challenge is pending. */
  answerChallenge(id: string, passed: boolean): string | null {
    const intent = this.setups.get(id);
    const method = this.find(String(intent?.payment_method));
    const returnUrl = this.#returnUrls.get(id);
    if (intent?.status !== "requires_action" || !method || !returnUrl) return null;
    if (passed) this.#authorize(intent, method);
    else {
      const message = "The provided PaymentMethod has failed authentication.";
      this.#failed(intent, { type: "card_error", code: "setup_intent_authentication_failure", message });
    }
    const back = new URL(returnUrl);
    back.searchParams.set("setup_intent", id);
    back.searchParams.set("setup_intent_client_secret", intent.client_secret ?? "");
    back.searchParams.set("redirect_status", passed ? "succeeded" : "failed");
    return back.href;
  }
}
