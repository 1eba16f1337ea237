import type Stripe from "stripe";
import { type Behavior, type Decline, declineOf } from "./cards";

/** Objects typed by Stripe's library: a wrong shape doesn't compile. */

export type Made = { id: string; created: number; livemode: boolean };

export type CardData = {
  brand: string;
  last4: string;
  exp_month: number;
  exp_year: number;
  fingerprint: string | null;
};

export function paymentIntent(
  { id, created, livemode }: Made,
  given: {
    amount: number;
    currency: string;
    metadata: Record<string, string>;
    captureMethod: string;
    description: string | null;
  },
): Stripe.PaymentIntent {
  return {
    id,
    object: "payment_intent",
    allowed_payment_method_types: ["card"],
    amount: given.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: given.captureMethod,
    client_secret: `${id}_secret_of_the_double`,
    confirmation_method: "automatic",
    created,
    currency: given.currency,
    customer: null,
    customer_account: null,
    description: given.description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode,
    managed_payments: null,
    metadata: given.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ["card"],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: "requires_payment_method",
    transfer_group: null,
  } satisfies Stripe.PaymentIntent;
}

const ADDRESS = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };
const BILLING = { address: ADDRESS, email: null, name: null, phone: null, tax_id: null };

export function paymentMethod(
  { id, created, livemode }: Made,
  card: CardData,
  { metadata, address }: { metadata: Record<string, string>; address: Record<string, string> },
): Stripe.PaymentMethod {
  return {
    id,
    object: "payment_method",
    billing_details: { ...BILLING, address: { ...ADDRESS, ...address } },
    card: {
      ...card,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: "unchecked" },
      country: "US",
      display_brand: card.brand,
      funding: "credit",
      generated_from: null,
      networks: { available: [card.brand], preferred: null },
      regulated_status: "unregulated",
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created,
    customer: null,
    customer_account: null,
    livemode,
    metadata,
    type: "card",
  } satisfies Stripe.PaymentMethod;
}

export function customer({ id, created, livemode }: Made, metadata: Record<string, string>): Stripe.Customer {
  return {
    id,
    object: "customer",
    address: null,
    balance: 0,
    created,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: null,
    email: null,
    invoice_prefix: "DOUBLE",
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode,
    metadata,
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: "none",
    test_clock: null,
  } satisfies Stripe.Customer;
}

/** A check that is being confirmed. */
export function setupIntent(
  { id, created, livemode }: Made,
  given: { customer: string; method: string; metadata: Record<string, string> },
): Stripe.SetupIntent {
  return {
    id,
    object: "setup_intent",
    allowed_payment_method_types: ["card"],
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_of_the_double`,
    created,
    customer: given.customer,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode,
    mandate: null,
    metadata: given.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: given.method,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ["card"],
    single_use_mandate: null,
    status: "requires_confirmation",
    usage: "off_session",
  } satisfies Stripe.SetupIntent;
}

/** An authorized or declined charge. */
export function charge(
  { id, created, livemode }: Made,
  intent: Stripe.PaymentIntent,
  method: { id: string } & ChargedMethod,
  how: { captured: boolean; decline: Decline | null; challenged: boolean },
): Stripe.Charge {
  const { amount, currency } = intent;
  const { decline, captured, challenged } = how;
  const paid = decline === null;
  return {
    id,
    object: "charge",
    amount,
    amount_captured: captured ? amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: BILLING,
    calculated_statement_descriptor: null,
    captured,
    created,
    currency,
    customer: null,
    description: null,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode,
    metadata: { ...intent.metadata },
    on_behalf_of: null,
    outcome: {
      advice_code: decline ? "try_again_later" : null,
      network_advice_code: null,
      network_decline_code: decline?.network_decline_code ?? null,
      network_status: decline
        ? decline.blocked
          ? "not_sent_to_network"
          : "declined_by_network"
        : "approved_by_network",
      reason: decline?.decline_code ?? null,
      risk_level: decline?.blocked ? "highest" : "normal",
      risk_score: decline?.blocked ? 95 : 11,
      seller_message: decline ? "The bank did not return any further details." : "Payment complete.",
      type: decline ? (decline.blocked ? "blocked" : "issuer_declined") : "authorized",
    },
    paid,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: "card", card: chargedCard(amount, method, challenged) },
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: paid ? "succeeded" : "failed",
    transfer_data: null,
    transfer_group: null,
  } satisfies Stripe.Charge;
}

/** `stored`: charged without its security code. */
type ChargedMethod = { card: CardData; behavior: Behavior; address: Stripe.Address | null; stored: boolean };

function chargedCard(
  amount: number,
  { card, behavior, address, stored }: ChargedMethod,
  challenged: boolean,
): Stripe.Charge.PaymentMethodDetails.Card {
  const cvcFails = behavior === "cvv_no_match" || behavior === "decline:incorrect_cvv";
  const check = (given: string | null | undefined) =>
    behavior === "avs_no_match" ? "fail" : given == null ? null : "pass";
  return {
    amount_authorized: declineOf(behavior) === null ? amount : null,
    authorization_code: declineOf(behavior) === null ? "123456" : null,
    ...card,
    checks: {
      address_line1_check: check(address?.line1),
      address_postal_code_check: check(address?.postal_code),
      cvc_check: stored ? null : cvcFails ? "fail" : "pass",
    },
    country: "US",
    electronic_commerce_indicator: null,
    funding: "credit",
    installments: null,
    mandate: null,
    network: card.brand,
    network_transaction_id: null,
    regulated_status: "unregulated",
    three_d_secure: challenged
      ? {
          authentication_flow: "challenge",
          electronic_commerce_indicator: "05",
          exemption_indicator: null,
          result: "authenticated",
          result_reason: null,
          transaction_id: null,
          version: "2.2.0",
        }
      : null,
    transaction_link_id: null,
    wallet: null,
  } satisfies Stripe.Charge.PaymentMethodDetails.Card;
}

export function refund(
  { id, created }: Made,
  given: { amount: number; intent: Stripe.PaymentIntent; reason: string | null; metadata: Record<string, string> },
): Stripe.Refund {
  const { amount, intent, reason, metadata } = given;
  return {
    id,
    object: "refund",
    amount,
    balance_transaction: null,
    charge: typeof intent.latest_charge === "string" ? intent.latest_charge : null,
    created,
    currency: intent.currency,
    customer: null,
    customer_account: null,
    metadata,
    payment_intent: intent.id,
    payment_method: typeof intent.payment_method === "string" ? intent.payment_method : null,
    reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: "succeeded",
    transfer_reversal: null,
  } satisfies Stripe.Refund;
}

/** Stripe takes a dispute's amount and a fee from the account's balance. */
function withdrawal({ id, created }: Made, charged: Stripe.Charge, amount: number): Stripe.BalanceTransaction {
  return {
    id,
    object: "balance_transaction",
    amount: -amount,
    available_on: created,
    balance_type: "payments",
    created,
    currency: charged.currency,
    description: null,
    exchange_rate: null,
    fee: DISPUTE_FEE,
    fee_details: [],
    net: -amount - DISPUTE_FEE,
    reporting_category: "dispute",
    source: null,
    status: "available",
    type: "adjustment",
  };
}
const DISPUTE_FEE = 1_500;

export function dispute(
  { id, created, livemode }: Made,
  charged: Stripe.Charge,
  given: { amount: number; reason: string },
): Stripe.Dispute {
  return {
    id,
    object: "dispute",
    amount: given.amount,
    balance_transactions: [withdrawal({ id: `txn_${id}`, created, livemode }, charged, given.amount)],
    charge: charged.id,
    created,
    currency: charged.currency,
    enhanced_eligibility_types: [],
    evidence: EVIDENCE,
    evidence_details: {
      due_by: created + 7 * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: null as never,
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode,
    metadata: {},
    payment_intent: charged.payment_intent,
    reason: given.reason,
    status: "needs_response",
  } satisfies Stripe.Dispute;
}

export const file = (
  { id, created }: Pick<Made, "id" | "created">,
  { filename, type, size }: { filename: string; type: string; size: number },
): Stripe.File => ({
  id,
  object: "file",
  created,
  expires_at: null,
  filename,
  purpose: "dispute_evidence",
  size,
  title: null,
  type,
  url: null,
});

const EVIDENCE: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};

export function account(id: string, enabled: boolean): Stripe.Account {
  return {
    id,
    object: "account",
    business_profile: { name: "Double Ltd" } as Stripe.Account.BusinessProfile,
    charges_enabled: enabled,
    details_submitted: true,
    email: null,
    payouts_enabled: enabled,
    type: "standard",
  } satisfies Stripe.Account;
}
