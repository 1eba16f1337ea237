// Made by `npm run client:generate` from the registry of endpoints. Don't edit it.

import type { DeclineCode } from "./problem.ts";

import { type PageResult, type RequestOptions, Resource, type Result, type Transport } from "./transport.ts";

import type { StreamOptions } from "./event-stream.ts";

export interface Payment {
  /** Unique id of the payment. */
  id: string;
  /** Always `payment`. */
  object: "payment";
  /** Its current status. */
  status: PaymentStatus;
  /** Requested amount, in minor units. */
  amount: number;
  /** ISO 4217 code, upper case. */
  currency: string;
  /** Whether it is captured immediately or when you call capture. */
  capture_method: "automatic" | "manual";
  /** Captured so far, in minor units. */
  amount_captured: number;
  /** What can still be captured, in minor units. */
  amount_capturable: number;
  /** Refunded so far, in minor units; also in the processor's own dashboard. */
  amount_refunded: number;
  /** What can still be refunded, in minor units. */
  amount_refundable: number;
  /** What you can do with it now. */
  available_actions: ("capture" | "void" | "refund")[];
  /** Your own id for the customer. */
  customer_id: string | null;
  /** The customer's e-mail address. */
  customer_email: string | null;
  /** The customer's name. */
  customer_name: string | null;
  /** The card's billing address. */
  billing_address: BillingAddress | null;
  /** The card, without its number. */
  card: {
    brand: CardBrand | null;
    last4: string;
    exp_month: number;
    exp_year: number;
    bin: string | null;
  } | null;
  /** The plan it pays for. */
  plan_id: string | null;
  /** The subscription it pays for. */
  subscription_id: string | null;
  /** The client session it was paid in. */
  client_session_id: string | null;
  /** Your own note. */
  description: string | null;
  /** Your own keys and values. */
  metadata: Record<string, string | number | boolean>;
  /** What the shopper must do next, when the status is `REQUIRES_ACTION`. */
  next_action: NextAction | null;
  /** Its charge, then its refunds, oldest first: the latest 100 of them. */
  transactions: Transaction[];
  /** Its dispute, of several the one that decides about refunds; null when undisputed. */
  dispute: DisputeMark;
  /** When the processor reported that the capture failed there later: its money never came. */
  capture_reversed_at: string | null;
  /** Whether it has older refunds that are not shown. */
  transactions_has_more: boolean;
  /** The environment it belongs to. */
  environment: "sandbox" | "live";
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

export type PaymentStatus = "PENDING" | "AUTHORIZED" | "CAPTURED" | "SETTLED" | "VOIDED" | "REFUNDED" | "PARTIALLY_REFUNDED" | "DECLINED" | "FAILED" | "REQUIRES_ACTION";

export interface BillingAddress {
  line1: string | null;
  line2: string | null;
  city: string | null;
  state: string | null;
  postal_code: string | null;
  /** ISO 3166-1 alpha-2 code. */
  country: string | null;
}

export type CardBrand = "visa" | "mastercard" | "amex" | "discover";

export interface NextAction {
  /** Always `redirect_to_url`. */
  type: "redirect_to_url";
  /** The card issuer's challenge page. */
  redirect_to_url: {
    url: string;
  };
  /** When the challenge expires. */
  expires_at: string;
}

export interface Transaction {
  /** Unique id of the transaction. */
  id: string;
  /** Always `transaction`. */
  object: "transaction";
  /** The payment it belongs to. */
  payment_id: string;
  /** `CHARGE` takes money, `REFUND` returns it. */
  type: "CHARGE" | "REFUND";
  /** Its current status. */
  status: TransactionStatus;
  /** Amount in minor units; positive for refunds too. */
  amount: number;
  /** ISO 4217 code, upper case. */
  currency: string;
  /** Captured so far, in minor units. */
  amount_captured: number;
  /** Refunded so far, in minor units. */
  amount_refunded: number;
  /** What can still be refunded, in minor units. */
  amount_refundable: number;
  /** What you can do with it now. */
  available_actions: ("capture" | "void" | "refund")[];
  /** Your own id for the customer. */
  customer_id: string | null;
  /** The customer's e-mail address. */
  customer_email: string | null;
  /** The customer's name. */
  customer_name: string | null;
  /** The card's billing address. */
  billing_address: BillingAddress | null;
  /** Card brand. */
  card_brand: CardBrand | null;
  /** Last four digits of the card. */
  card_last4: string | null;
  /** Month the card expires, 1–12. */
  card_exp_month: number | null;
  /** Year the card expires, four digits. */
  card_exp_year: number | null;
  /** First digits of the card, which identify the issuer. */
  card_bin: string | null;
  /** Address check result: the card networks' code letter. */
  avs_result: "Y" | "X" | "D" | "F" | "M" | "A" | "B" | "Z" | "W" | "P" | "N" | "C" | "I" | "G" | "U" | "R" | "S" | "E" | null;
  /** Security code check result: the card networks' code letter. */
  cvv_result: "M" | "N" | "P" | "S" | "U" | null;
  /** Risk from 0 (none) to 100. */
  fraud_score: number | null;
  /** Why the card was declined. */
  decline_code: DeclineCode | null;
  /** The subscription it pays for. */
  subscription_id: string | null;
  /** The plan it pays for. */
  plan_id: string | null;
  /** The client session it was paid in. */
  client_session_id: string | null;
  /** For a refund: the charge it refunds. */
  refund_of: string | null;
  /** For a refund: the reason you gave. */
  refund_reason: "DUPLICATE" | "FRAUDULENT" | "CUSTOMER_REQUEST" | "RETURN" | "OTHER" | null;
  /** Why it was voided; `expired` when the authorization expired. */
  void_reason: string | null;
  /** The settlement batch it is in. */
  settlement_batch_id: string | null;
  /** Your own note. */
  description: string | null;
  /** Your own keys and values. */
  metadata: Record<string, string | number | boolean>;
  /** The environment it belongs to. */
  environment: "sandbox" | "live";
  /** Deadline for the capture; afterwards the hold is released. */
  capture_before: string | null;
  /** For a charge: its dispute, of several the one that decides about refunds. */
  dispute: DisputeMark;
  /** When the processor reported that the capture failed there later: its money never came. */
  capture_reversed_at: string | null;
  /** When the card was authorized. */
  authorized_at: string | null;
  /** When it was captured. */
  captured_at: string | null;
  /** When it was settled. */
  settled_at: string | null;
  /** When it was voided. */
  voided_at: string | null;
  /** When it was last refunded. */
  refunded_at: string | null;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

export type TransactionStatus = "PENDING" | "AUTHORIZED" | "CAPTURED" | "SETTLED" | "VOIDED" | "REFUNDED" | "PARTIALLY_REFUNDED" | "DECLINED" | "FAILED";

export type DisputeMark = {
  /** The dispute's id. */
  id: string;
  /** `LOST` and `ACCEPTED` rule out a refund; open ones ask for `acknowledge_dispute`. */
  status: "NEEDS_RESPONSE" | "UNDER_REVIEW" | "WON" | "LOST" | "ACCEPTED";
} | null;

export interface CreatePaymentRequest {
  /** Amount in minor units: 4999 is $49.99, or ¥4999. */
  amount: number;
  /** ISO 4217 code, upper case. */
  currency: string;
  /** Card token from the payment form: valid once, for 15 minutes, and for its client session's amount, currency and plan. Or the connected processor's own token, created by its script on your page. */
  payment_token?: string;
  /** Raw card data, in test mode only. */
  card?: CardRequest;
  /** `manual` authorizes now; you capture later. Default: `"automatic"`. */
  capture_method?: "automatic" | "manual";
  /** Your own id for the customer. */
  customer_id?: string | null;
  /** The customer's e-mail address. Any text is stored; receipts go to what can be mailed. */
  customer_email?: string | null;
  /** The customer's name. */
  customer_name?: string | null;
  /** The card's billing address. */
  billing_address?: BillingAddressInput | null;
  /** An active plan this pays for. Amount and currency must match its price or its paid trial's price. */
  plan_id?: string | null;
  /** Your own note. */
  description?: string | null;
  /** Up to 50 of your own keys (40 characters), values of text (500 characters), number or boolean, 16 kB in all. Numbers that can't be stored exactly are refused: send them as text. Default: `{}`. */
  metadata?: Record<string, string | number | boolean>;
  /** Where the shopper returns to after 3-D Secure. In live mode, https only. */
  return_url?: string | null;
}

export interface CardRequest {
  /** Card number; spaces and dashes are ignored. */
  number: string;
  /** Month the card expires, 1–12. */
  exp_month: number;
  /** Year the card expires, four digits. */
  exp_year: number;
  /** Security code: 4 digits for American Express, 3 for all others. */
  cvv: string;
  /** Name on the card. */
  name?: string;
}

export interface BillingAddressInput {
  line1?: string | null;
  line2?: string | null;
  city?: string | null;
  state?: string | null;
  postal_code?: string | null;
  /** ISO 3166-1 alpha-2 code. */
  country?: string | null;
}

export interface PaymentList {
  /** Always `list`. */
  object: "list";
  /** The results of this page. */
  data: Payment[];
  /** Requested results per page. */
  limit: number;
  /** Requested results to skip. */
  offset: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** Number of results: exact up to 10,000, and at most two seconds old. */
  total: number;
  /** True when there are more than 10,000. */
  total_capped: boolean;
}

export interface CaptureRequest {
  /** Minor units. If omitted, the whole authorized amount. */
  amount?: number;
}

export interface VoidRequest {
  /** Why you void it; stored as `void_reason`. */
  reason?: string;
}

export interface RefundRequest {
  /** Minor units. If omitted, all that remains. */
  amount?: number;
  /** Why you refund. */
  reason?: "DUPLICATE" | "FRAUDULENT" | "CUSTOMER_REQUEST" | "RETURN" | "OTHER";
  /** A note for your own records. */
  comment?: string;
  /** `true` refunds although the payment is disputed: if the bank decides for the cardholder, you pay twice. */
  acknowledge_dispute?: boolean;
}

export interface TransactionList {
  /** Always `list`. */
  object: "list";
  /** The results of this page. */
  data: Transaction[];
  /** Requested results per page. */
  limit: number;
  /** Requested results to skip. */
  offset: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** Number of results: exact up to 10,000, and at most two seconds old. */
  total: number;
  /** True when there are more than 10,000. */
  total_capped: boolean;
}

export interface SearchTransactionsRequest {
  /** Filters; all must match. Default: `{}`. */
  filters?: {
    /** Words to find, up to eight. Each must begin a word of the customer's name, e-mail or id, the description or a metadata value, or be an id, the card's last four digits or the amount (`19.90` or `19,90`). Case, accents, punctuation around a word and invisible characters do not matter. Apostrophes and hyphens may be left out (`obrien` finds O’Brien, `jeanluc` Jean-Luc), `ä` may be `a` or `ae`, `ö` and `ø` `o` or `oe`, `ü` `u` or `ue`, `å` `a` or `aa`. Chinese, Japanese, Korean and Thai text is found by any part of it, and hiragana and katakana are the same. Of long texts the first 4,000 characters in all are searched, and at most 200 words. */
    q?: string;
    /** Any of these statuses. */
    status?: TransactionStatus[];
    /** Any of these brands. */
    card_brand?: CardBrand[];
    /** Amount range in minor units, both ends inclusive. */
    amount?: {
      gte?: number;
      lte?: number;
    };
    /** Any of these currencies. */
    currency?: string[];
    /** Created in this range of ISO 8601 times, both ends inclusive; a bare date as `lte` means the end of that day. */
    created_at?: {
      /** ISO 8601 date-time with any offset, or a bare date (UTC). */
      gte?: string;
      /** ISO 8601 date-time with any offset, or a bare date (UTC). */
      lte?: string;
    };
    /** Exactly this customer id. */
    customer_id?: string;
    /** Exactly this address, in any case. */
    customer_email?: string;
    /** Exactly this subscription. */
    subscription_id?: string;
    /** Exactly this end of the card’s number, four digits. */
    card_last4?: string;
    /** Exactly this plan. */
    plan_id?: string;
    /** Any of these types. */
    type?: ("CHARGE" | "REFUND")[];
    /** Any of these decline codes. */
    decline_code?: (DeclineCode)[];
    /** Captured in this range of ISO 8601 times, both ends inclusive; a bare date as `lte` means the end of that day. */
    captured_at?: {
      /** ISO 8601 date-time with any offset, or a bare date (UTC). */
      gte?: string;
      /** ISO 8601 date-time with any offset, or a bare date (UTC). */
      lte?: string;
    };
    /** Any of these reasons for attention. */
    attention?: ("unknown_outcome" | "failed_refund" | "capture_reversed" | "expiring")[];
  };
  /** Order of the results; ties are sorted by id. By amount, each currency is sorted by itself, in the order of the currencies' codes. Default: `{"field":"created_at","order":"desc"}`. */
  sort?: {
    /** Default: `"created_at"`. */
    field?: "created_at" | "amount" | "status";
    /** Default: `"desc"`. */
    order?: "asc" | "desc";
  };
  /** Results per page. Default: `20`. */
  limit?: number;
  /** Results to skip. Default: `0`. */
  offset?: number;
  /** Continue after this id instead of skipping. */
  starting_after?: string;
}

export interface CustomerList {
  /** Always `list`. */
  object: "list";
  /** The results of this page. */
  data: Customer[];
  /** Requested results per page. */
  limit: number;
  /** Requested results to skip. */
  offset: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** Number of results: exact up to 10,000, and at most two seconds old. */
  total: number;
  /** True when there are more than 10,000. */
  total_capped: boolean;
}

export interface Customer {
  /** Unique id of the customer; it never changes. */
  id: string;
  /** Always `customer`. */
  object: "customer";
  /** Your own id; null for a customer known only by e-mail. */
  customer_id: string | null;
  /** The latest e-mail, in lower case. */
  email: string | null;
  /** The latest name. */
  name: string | null;
  /** When the first payment was created. */
  first_payment_at: string;
  /** When the last payment was created; may be seconds late. */
  last_payment_at: string;
  /** Number of payments, whatever their outcome. */
  payments: number;
  /** How many of them were declined. */
  declined: number;
  /** Totals by currency. */
  currencies: ({
    /** ISO 4217 code, upper case. */
    currency: string;
    /** Captured, in minor units. */
    captured: number;
    /** Refunded, in minor units. */
    refunded: number;
    /** Captured less what was refunded, in minor units. */
    net: number;
    /** Disputes that are open or lost, in minor units. Not deducted from `net`. */
    disputed: number;
  })[];
  /** Cards used in the last 1,000 payments, newest first; at most twenty. */
  cards: ({
    /** Brand of the card. */
    brand: CardBrand | null;
    /** Its last four digits. */
    last4: string;
    /** Month in which it expires. */
    exp_month: number | null;
    /** Year in which it expires. */
    exp_year: number | null;
    /** When it was last used for a payment attempt. */
    last_used_at: string;
  })[];
}

export interface SubscriptionPlan {
  /** Unique id of the plan. */
  id: string;
  /** Always `subscription_plan`. */
  object: "subscription_plan";
  /** One-time, or a subscription with or without a trial. */
  type: "ONE_TIME" | "SUBSCRIPTION_NO_TRIAL" | "SUBSCRIPTION_FREE_TRIAL" | "SUBSCRIPTION_PAID_TRIAL";
  /** Its name. */
  name: string;
  /** ISO 4217 code, upper case. */
  currency: string;
  /** Price in major units, such as 19.99. */
  full_price_amount: number;
  /** Only an `ACTIVE` plan can be sold. */
  status: "DRAFT" | "ACTIVE" | "INACTIVE";
  /** Your own note. */
  description: string | null;
  /** Number of units between charges. */
  billing_frequency_value: number | null;
  /** The unit. */
  billing_frequency_unit: "DAYS" | "WEEKS" | "MONTHS" | null;
  /** Length of the trial. */
  trial_period_value: number | null;
  /** The unit. */
  trial_period_unit: "DAYS" | "WEEKS" | "MONTHS" | null;
  /** Price of a paid trial in major units. */
  trial_price_amount: number | null;
  /** The environment it belongs to. */
  environment: "sandbox" | "live";
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

export interface CreateSubscriptionPlanRequest {
  /** One-time, or a subscription with or without a trial. */
  type: "ONE_TIME" | "SUBSCRIPTION_NO_TRIAL" | "SUBSCRIPTION_FREE_TRIAL" | "SUBSCRIPTION_PAID_TRIAL";
  /** Unique among your plans. */
  name: string;
  /** ISO 4217 code, upper case. */
  currency: string;
  /** Price in major units, such as 19.99. */
  full_price_amount: number;
  /** Only an `ACTIVE` plan can be sold. Default: `"DRAFT"`. */
  status?: "DRAFT" | "ACTIVE" | "INACTIVE";
  /** Your own note. */
  description?: string | null;
  /** Number of units between charges; required for subscriptions. */
  billing_frequency_value?: number | null;
  /** The unit. */
  billing_frequency_unit?: "DAYS" | "WEEKS" | "MONTHS" | null;
  /** Length of the trial; required for plans with a trial. */
  trial_period_value?: number | null;
  /** The unit. */
  trial_period_unit?: "DAYS" | "WEEKS" | "MONTHS" | null;
  /** Price of a paid trial in major units. */
  trial_price_amount?: number | null;
}

export interface SubscriptionPlanList {
  /** Always `list`. */
  object: "list";
  /** The results of this page. */
  data: SubscriptionPlan[];
  /** Requested results per page. */
  limit: number;
  /** Requested results to skip. */
  offset: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** Number of results: exact up to 10,000, and at most two seconds old. */
  total: number;
  /** True when there are more than 10,000. */
  total_capped: boolean;
}

export interface UpdateSubscriptionPlanRequest {
  /** One-time, or a subscription with or without a trial. */
  type?: "ONE_TIME" | "SUBSCRIPTION_NO_TRIAL" | "SUBSCRIPTION_FREE_TRIAL" | "SUBSCRIPTION_PAID_TRIAL";
  /** Unique among your plans. */
  name?: string;
  /** ISO 4217 code, upper case. */
  currency?: string;
  /** Price in major units, such as 19.99. */
  full_price_amount?: number;
  /** Only an `ACTIVE` plan can be sold. */
  status?: "DRAFT" | "ACTIVE" | "INACTIVE";
  /** Your own note. */
  description?: string | null;
  /** Number of units between charges. */
  billing_frequency_value?: number | null;
  /** The unit. */
  billing_frequency_unit?: "DAYS" | "WEEKS" | "MONTHS" | null;
  /** Length of the trial. */
  trial_period_value?: number | null;
  /** The unit. */
  trial_period_unit?: "DAYS" | "WEEKS" | "MONTHS" | null;
  /** Price of a paid trial in major units. */
  trial_price_amount?: number | null;
}

export interface ClientSession {
  /** Unique id of the session. */
  id: string;
  /** Always `client_session`. */
  object: "client_session";
  /** Shown once, in the response that creates the session. */
  client_session_token: string | null;
  /** OPEN, also while its payment is in progress. COMPLETED once a payment is captured or authorized: see `payment_id`. EXPIRED when its time or its attempts run out. CANCELLED by you. */
  status: "OPEN" | "COMPLETED" | "EXPIRED" | "CANCELLED";
  /** What the shopper pays, in minor units. */
  amount: number;
  /** ISO 4217 code, upper case. */
  currency: string;
  /** The plan it sells. */
  plan_id: string | null;
  /** The payment that completed it. */
  payment_id: string | null;
  /** Whether the payment is captured immediately or when you call capture. */
  capture_method: "automatic" | "manual";
  /** Your own id for the customer. */
  customer_id: string | null;
  /** The customer's e-mail address. */
  customer_email: string | null;
  /** The customer's name. */
  customer_name: string | null;
  /** The card's billing address. */
  billing_address: BillingAddress | null;
  /** Origins that may embed the payment form. */
  allowed_origins: string[];
  /** Where the shopper returns to. */
  return_url: string | null;
  /** How the payment form looks. */
  appearance: Appearance | null;
  /** Your own keys and values. */
  metadata: Record<string, string | number | boolean>;
  /** Attempts the shopper has left. */
  attempts_left: number;
  /** Contains the token, so it is shown only once. */
  iframe_url: string | null;
  /** The environment it belongs to. */
  environment: "sandbox" | "live";
  /** When it stops taking attempts: 24 hours after it was created, or with the fifth attempt. */
  expires_at: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

export interface Appearance {
  /** The starting point for the other settings; `clean` by default. */
  preset?: "clean" | "soft" | "sharp" | "night";
  /** `system` follows the shopper's device. */
  theme?: "light" | "dark" | "system";
  /** Buttons and focus, such as #1a73e8. */
  accent_color?: string;
  /** Page background. */
  background_color?: string;
  /** Text. */
  text_color?: string;
  /** Corner radius in pixels. */
  border_radius?: number;
  /** A CSS font family. */
  font_family?: string;
}

export interface CreateClientSessionRequest {
  /** The plan to sell; or send amount and currency. */
  plan_id?: string | null;
  /** Amount in minor units; without a plan. */
  amount?: number | null;
  /** ISO 4217 code, upper case; without a plan. */
  currency?: string | null;
  /** Your own id for the customer. */
  customer_id?: string | null;
  /** The customer's e-mail address. Any text is stored; receipts go to what can be mailed. */
  customer_email?: string | null;
  /** The customer's name. */
  customer_name?: string | null;
  /** The card's billing address. */
  billing_address?: BillingAddressInput | null;
  /** `manual` authorizes now; you capture later. Default: `"automatic"`. */
  capture_method?: "automatic" | "manual";
  /** Origins that may embed the payment form, stored as browsers write them: lower case, without a path or default port. Without any, it only works as a payment link. In live mode, https only. Default: `[]`. */
  allowed_origins?: string[];
  /** Where the shopper returns to, kept byte for byte. In live mode, https only. */
  return_url?: string | null;
  /** How the payment form looks. */
  appearance?: AppearanceInput | null;
  /** Up to 50 of your own keys (40 characters), values of text (500 characters), number or boolean, 16 kB in all. Numbers that can't be stored exactly are refused: send them as text. Default: `{}`. */
  metadata?: Record<string, string | number | boolean>;
}

export interface AppearanceInput {
  /** The starting point for the other settings; `clean` by default. */
  preset?: "clean" | "soft" | "sharp" | "night";
  /** `system` follows the shopper's device. */
  theme?: "light" | "dark" | "system";
  /** Buttons and focus, such as #1a73e8. */
  accent_color?: string;
  /** Page background. */
  background_color?: string;
  /** Text. */
  text_color?: string;
  /** Corner radius in pixels. */
  border_radius?: number;
  /** A CSS font family. */
  font_family?: string;
}

export interface EventList {
  /** Always `list`. */
  object: "list";
  /** The results of this page. */
  data: Event[];
  /** Requested results per page. */
  limit: number;
  /** Requested results to skip. */
  offset: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** Number of results: exact up to 10,000, and at most two seconds old. */
  total: number;
  /** True when there are more than 10,000. */
  total_capped: boolean;
}

export interface SettlementBatch {
  /** Unique id of the batch. */
  id: string;
  /** Always `settlement_batch`. */
  object: "settlement_batch";
  /** ISO 4217 code, upper case. */
  currency: string;
  /** Charges in it. */
  charge_count: number;
  /** Captured by its charges, in minor units. */
  charge_amount: number;
  /** Refunds in it. */
  refund_count: number;
  /** Refunded in it, in minor units. */
  refund_amount: number;
  /** Refunds that failed after an earlier batch settled them. */
  reversal_count: number;
  /** Their amount, returned to you, in minor units. */
  reversal_amount: number;
  /** Fees on its charges, in minor units. */
  fee_amount: number;
  /** What it adds to your available balance: charges less refunds and fees, plus reversals. May be negative. */
  net_amount: number;
  /** Charges, refunds and reversals in it. */
  transaction_count: number;
  /** The payout it is part of; null until there is one, and again after a payout fails. */
  payout_id: string | null;
  /** The environment it belongs to. */
  environment: "sandbox" | "live";
  /** When the batch was created and its transactions settled. */
  created_at: string;
}

export interface Dispute {
  /** Unique id of the dispute. */
  id: string;
  /** Always `dispute`. */
  object: "dispute";
  /** The disputed payment. */
  payment_id: string;
  /** The dispute's id at the processor, where you respond to it. */
  processor_id: string;
  /** The disputed amount, in minor units. */
  amount: number;
  /** ISO 4217 code, upper case. */
  currency: string;
  /** The processor's reason, such as `fraudulent`. */
  reason: string;
  /** The current status. */
  status: "NEEDS_RESPONSE" | "UNDER_REVIEW" | "WON" | "LOST" | "ACCEPTED";
  /** Deadline for evidence; null when none is needed. */
  respond_before: string | null;
  /** Which of your two environments it belongs to. */
  environment: "sandbox" | "live";
  /** When the bank opened it. */
  created_at: string;
  /** When Cardlane learned of its last change. */
  updated_at: string;
}

export interface ApiKey {
  /** Unique id of the key, not its secret. */
  id: string;
  /** Always `api_key`. */
  object: "api_key";
  /** Its name in the dashboard. */
  name: string;
  /** The start of the secret: `sk_test_` or `sk_live_`. */
  prefix: string;
  /** The last four characters of the secret. */
  last4: string;
  /** What requests with this key can do. */
  permissions: ("payment.create" | "payment.read" | "transaction.read" | "transaction.search" | "transaction.capture" | "transaction.void" | "transaction.refund" | "client_session.create" | "subscription_plan.read" | "subscription_plan.write" | "webhook_endpoint.read" | "webhook_endpoint.write" | "event.read" | "balance.read")[];
  /** It becomes `EXPIRED` at `expires_at`, without an event. */
  status: "ACTIVE" | "DISABLED" | "EXPIRED" | "REVOKED";
  /** Addresses and CIDR blocks it may be used from; empty means anywhere. */
  ip_allow_list: string[];
  /** When it stops working; null: never. */
  expires_at: string | null;
  /** When it was last used, accurate to a few seconds. */
  last_used_at: string | null;
  /** The address it was last used from. */
  last_used_ip: string | null;
  /** The key it replaced. */
  rotated_from: string | null;
  /** The key that replaced it. */
  replaced_by: string | null;
  /** What you can do with it now, in the dashboard. */
  available_actions: ("edit" | "rotate" | "disable" | "enable" | "revoke")[];
  /** When it was created. */
  created_at: string;
  /** When its settings or status last changed. Using the key doesn't count. */
  updated_at: string;
}

export interface WebhookEndpoint {
  /** Unique id of the webhook endpoint. */
  id: string;
  /** Always `webhook_endpoint`. */
  object: "webhook_endpoint";
  /** Where events are sent. */
  url: string;
  /** Your own note. */
  description: string | null;
  /** The types sent; `["*"]` for all. */
  event_types: string[];
  /** `full`: the whole event. `thin`: its type, ids and sequence; you fetch the rest. */
  payload: "full" | "thin";
  /** `v1`: HMAC-SHA256. `v1+v1a`: an Ed25519 signature as well. */
  signature: "v1" | "v1+v1a";
  /** Only `ENABLED` endpoints receive events. */
  status: "ENABLED" | "DISABLED";
  /** `manual`: by you. `gone`: it returned 410. `failing`: every attempt failed for five days. */
  disabled_reason: "manual" | "gone" | "failing" | null;
  /** Verifies `v1` signatures. Shown once, in the response that creates or rotates it. */
  secret: string | null;
  /** Verifies `v1a` signatures; null without them. */
  public_key: string | null;
  /** The environment it belongs to. */
  environment: "sandbox" | "live";
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

export interface CreateWebhookEndpointRequest {
  /** Where events are sent: https on port 443, at a public address. */
  url: string;
  /** Your own note. */
  description?: string | null;
  /** The types to send; `["*"]` for all, including future ones. Default: `["*"]`. */
  event_types?: ("*" | EventType)[];
  /** `full`: the whole event. `thin`: its type, ids and sequence; you fetch the rest. Default: `"full"`. */
  payload?: "full" | "thin";
  /** `v1`: HMAC-SHA256. `v1+v1a`: an Ed25519 signature as well. Default: `"v1"`. */
  signature?: "v1" | "v1+v1a";
}

export interface WebhookEndpointList {
  /** Always `list`. */
  object: "list";
  /** The results of this page. */
  data: WebhookEndpoint[];
  /** Requested results per page. */
  limit: number;
  /** Requested results to skip. */
  offset: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** Number of results: exact up to 10,000, and at most two seconds old. */
  total: number;
  /** True when there are more than 10,000. */
  total_capped: boolean;
}

export interface UpdateWebhookEndpointRequest {
  /** Where events are sent: https on port 443, at a public address. */
  url?: string;
  /** Your own note. */
  description?: string | null;
  /** The types to send; `["*"]` for all, including future ones. */
  event_types?: ("*" | EventType)[];
  /** `full`: the whole event. `thin`: its type, ids and sequence; you fetch the rest. */
  payload?: "full" | "thin";
  /** `v1`: HMAC-SHA256. `v1+v1a`: an Ed25519 signature as well. */
  signature?: "v1" | "v1+v1a";
  /** While it is `DISABLED`, new events are not sent and pending deliveries wait. */
  status?: "ENABLED" | "DISABLED";
}

export interface DeletedWebhookEndpoint {
  /** Unique id of the webhook endpoint. */
  id: string;
  /** Always `webhook_endpoint`. */
  object: "webhook_endpoint";
  /** Always true. */
  deleted: true;
}

export interface RotateWebhookSecretRequest {
  /** How long earlier secrets sign as well: 0, 1 or 24 hours. Default: `24`. */
  overlap_hours?: 0 | 1 | 24;
}

export interface WebhookDelivery {
  /** Unique id of the delivery. */
  id: string;
  /** Always `webhook_delivery`. */
  object: "webhook_delivery";
  /** Where it goes. */
  webhook_endpoint_id: string;
  /** The event; also the `webhook-id` of every attempt. */
  event_id: string;
  /** Type of the event. */
  event_type: string;
  /** `PENDING` while attempts are left, `DELIVERED` after a 2xx response, `FAILED` after the last attempt. */
  status: "PENDING" | "DELIVERED" | "FAILED";
  /** Attempts so far. */
  attempt_count: number;
  /** When it is tried next; null when no attempt remains. */
  next_attempt_at: string | null;
  /** When the endpoint returned 2xx. */
  delivered_at: string | null;
  /** The environment it belongs to. */
  environment: "sandbox" | "live";
  /** When the event happened. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

export interface WebhookReplay {
  /** Always `webhook_replay`. */
  object: "webhook_replay";
  /** Where the events go. */
  webhook_endpoint_id: string;
  /** Deliveries created. */
  delivery_count: number;
  /** Where this call stopped: call again with it as `since`, even if nothing was found. Null at the end of the range. */
  next_since: string | null;
}

export interface ReplayWebhookEndpointRequest {
  /** Events from this ISO 8601 time on; at most 90 days ago. */
  since: string;
  /** Events before this ISO 8601 time; defaults to now. */
  until?: string;
  /** Only these types. */
  types?: (EventType)[];
  /** If false, includes delivered events, which are then delivered again. Default: `true`. */
  only_failed?: boolean;
}

export interface WebhookDeliveryList {
  /** Always `list`. */
  object: "list";
  /** The results of this page. */
  data: WebhookDelivery[];
  /** Requested results per page. */
  limit: number;
  /** Requested results to skip. */
  offset: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** Number of results: exact up to 10,000, and at most two seconds old. */
  total: number;
  /** True when there are more than 10,000. */
  total_capped: boolean;
}

export interface WebhookDeliveryDetail {
  /** Unique id of the delivery. */
  id: string;
  /** Always `webhook_delivery`. */
  object: "webhook_delivery";
  /** Where it goes. */
  webhook_endpoint_id: string;
  /** The event; also the `webhook-id` of every attempt. */
  event_id: string;
  /** Type of the event. */
  event_type: string;
  /** `PENDING` while attempts are left, `DELIVERED` after a 2xx response, `FAILED` after the last attempt. */
  status: "PENDING" | "DELIVERED" | "FAILED";
  /** Attempts so far. */
  attempt_count: number;
  /** When it is tried next; null when no attempt remains. */
  next_attempt_at: string | null;
  /** When the endpoint returned 2xx. */
  delivered_at: string | null;
  /** The environment it belongs to. */
  environment: "sandbox" | "live";
  /** When the event happened. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Its latest 20 attempts, newest first. */
  attempts: WebhookAttempt[];
}

export interface WebhookAttempt {
  /** When it was sent. */
  created_at: string;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** What was sent. */
  request: {
    /** Where it was sent. */
    url: string;
    /** The headers it was sent with. */
    headers: Record<string, string>;
    /** Whether the body was the whole event or only its ids. */
    payload: "full" | "thin";
  };
  /** The response; null when there was none. */
  response: {
    /** The HTTP status. */
    status: number;
    /** The body: its first 4 kB, or 512 bytes where the status is 2xx, with card numbers masked. */
    body: string;
  } | null;
  /** What went wrong; null when it was delivered. */
  error: string | null;
}

export interface Balance {
  /** Always `balance`. */
  object: "balance";
  /** The environment it belongs to. */
  environment: "sandbox" | "live";
  /** One for each currency in which money has moved. */
  currencies: CurrencyBalance[];
}

export interface CurrencyBalance {
  /** ISO 4217 code, upper case. */
  currency: string;
  /** Captured, not yet settled, less refunds and fees. */
  pending: number;
  /** Settled, not yet in a payout. */
  available: number;
  /** In payouts that have not reached your bank yet. */
  in_payout: number;
}

export interface BalanceMovementList {
  /** Always `list`. */
  object: "list";
  /** The results of this page. */
  data: BalanceMovement[];
  /** Requested results per page. */
  limit: number;
  /** Requested results to skip. */
  offset: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** Number of results: exact up to 10,000, and at most two seconds old. */
  total: number;
  /** True when there are more than 10,000. */
  total_capped: boolean;
}

export interface BalanceMovement {
  /** Unique id of the movement. */
  id: string;
  /** Always `balance_movement`. */
  object: "balance_movement";
  /** `capture`, `fee`, `refund` and `refund_reversal` change `pending`; `settlement` moves from `pending` to `available`; `payout` leaves `available`, and `payout_failure` returns to it. `adjustment` is a manual correction; none is made today. */
  type: "capture" | "fee" | "refund" | "refund_reversal" | "settlement" | "payout" | "payout_failure" | "adjustment";
  /** ISO 4217 code, upper case. */
  currency: string;
  /** In minor units; negative when it lowers the balance. */
  amount: number;
  /** The charge or refund behind it. */
  transaction_id: string | null;
  /** The batch of a settlement. */
  settlement_batch_id: string | null;
  /** The payout behind it. */
  payout_id: string | null;
  /** When it was booked. */
  created_at: string;
}

export interface PayoutList {
  /** Always `list`. */
  object: "list";
  /** The results of this page. */
  data: Payout[];
  /** Requested results per page. */
  limit: number;
  /** Requested results to skip. */
  offset: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** Number of results: exact up to 10,000, and at most two seconds old. */
  total: number;
  /** True when there are more than 10,000. */
  total_capped: boolean;
}

export interface Payout {
  /** Unique id of the payout. */
  id: string;
  /** Always `payout`. */
  object: "payout";
  /** `PENDING` and `IN_TRANSIT` become `PAID`, or `FAILED`, which returns the money to your balance. */
  status: "PENDING" | "IN_TRANSIT" | "PAID" | "FAILED";
  /** In minor units: the net amounts of its settlement batches. */
  amount: number;
  /** ISO 4217 code, upper case. */
  currency: string;
  /** The day, UTC, on which it reaches the bank. */
  arrival_date: string;
  /** The settlement batches it pays out, oldest first. */
  settlement_batch_ids: string[];
  /** Why the bank rejected it; null unless it failed. */
  failure_reason: string | null;
  /** Where it went. */
  bank_account: BankAccount;
  /** The environment it belongs to. */
  environment: "sandbox" | "live";
  /** When it was created. */
  created_at: string;
  /** When its status last changed. */
  updated_at: string;
}

export interface BankAccount {
  /** Name of the bank. */
  bank_name: string;
  /** ISO 3166-1 alpha-2 code of the bank's country. */
  country: string;
  /** Last four characters of its number. */
  last4: string;
}

export interface SettlementBatchList {
  /** Always `list`. */
  object: "list";
  /** The results of this page. */
  data: SettlementBatch[];
  /** Requested results per page. */
  limit: number;
  /** Requested results to skip. */
  offset: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** Number of results: exact up to 10,000, and at most two seconds old. */
  total: number;
  /** True when there are more than 10,000. */
  total_capped: boolean;
}

/** What the events of each type hold. */
export interface EventObjects {
  /** The card's issuer holds the amount; capture it or void it before `capture_before` of its charge. */
  "payment.authorized": Payment;
  /** The amount, or the captured part of it, was taken from the card. */
  "payment.captured": Payment;
  /** The card's issuer wants the shopper to confirm the payment at the address in `next_action`. */
  "payment.requires_action": Payment;
  /** The card was declined and no money moved; `decline_code` of the charge says why. */
  "payment.declined": Payment;
  /** The processor could not complete the payment and no money moved. */
  "payment.failed": Payment;
  /** A capture failed. The authorization remains and can be captured again or voided. */
  "payment.capture_failed": Payment;
  /** The authorization was released without taking money: by you, or because it expired. If the payment is DECLINED or FAILED, the processor approved it later, and Cardlane gave the money back. */
  "payment.voided": Payment;
  /** A void failed. The authorization remains and can be voided again or captured. If the payment is DECLINED or FAILED, the processor approved it later; Cardlane tries again to give the money back. */
  "payment.void_failed": Payment;
  /** The captured amount settled in the batch that its charge names. */
  "payment.settled": Payment;
  /** A part of the payment was refunded; `amount_refundable` is what is left. */
  "payment.partially_refunded": Payment;
  /** All that was captured is refunded. */
  "payment.refunded": Payment;
  /** Money was refunded at the processor, such as in its dashboard, and not through Cardlane. It counts in `amount_refunded`, and is a refund among `transactions`. */
  "payment.refunded_externally": Payment;
  /** The processor reported, days after a capture, that it failed: the money never came. The status stays, and nothing can be refunded; settle it with your customer. */
  "payment.capture_reversed": Payment;
  /** A refund that the processor had accepted failed later: its amount can be refunded again, and the status is what the other refunds make it. */
  "payment.refund_reversed": Payment;
  /** A cardholder's bank disputes a live payment and may take the money back. Respond at the processor before `respond_before`. */
  "payment.disputed": Dispute;
  /** A dispute changed: evidence went to the bank, the bank decided, or the disputed amount changed. */
  "payment.dispute_updated": Dispute;
  /** The outcome of a charge or refund isn't known yet, or the shopper has to confirm it first. Another event follows with the outcome. */
  "transaction.pending": Transaction;
  /** The card's issuer holds the amount of a charge. */
  "transaction.authorized": Transaction;
  /** A charge took its amount from the card, or the processor accepted a refund: see `type`. Also when the only refund of a charge failed later. */
  "transaction.captured": Transaction;
  /** A charge or refund went into the settlement batch that it names; a refunded charge keeps its status. Also when the only refund of a settled charge failed later. */
  "transaction.settled": Transaction;
  /** The authorization of a charge was released without taking money: by you, or because it expired. */
  "transaction.voided": Transaction;
  /** A charge was refunded in full. */
  "transaction.refunded": Transaction;
  /** A part of a charge was refunded, or one of its refunds failed later and the others stand. */
  "transaction.partially_refunded": Transaction;
  /** The card was declined; `decline_code` of the charge says why. */
  "transaction.declined": Transaction;
  /** A charge could not be completed and no money moved, or a refund failed, immediately or after it was accepted. */
  "transaction.failed": Transaction;
  /** The processor accepted a refund; its money is on the way to the card. */
  "refund.succeeded": Transaction;
  /** A refund failed, either immediately or after it was accepted; its amount can be refunded again. */
  "refund.failed": Transaction;
  /** A subscription plan was created. */
  "subscription_plan.created": SubscriptionPlan;
  /** Fields of a subscription plan other than its status changed. */
  "subscription_plan.updated": SubscriptionPlan;
  /** A subscription plan became active: it can be sold. */
  "subscription_plan.activated": SubscriptionPlan;
  /** A subscription plan became inactive: it can no longer be sold. */
  "subscription_plan.deactivated": SubscriptionPlan;
  /** A client session was opened for one shopper and one amount; its token is not in the event. */
  "client_session.created": ClientSession;
  /** A payment of a client session was captured or authorized: see `payment_id`. */
  "client_session.completed": ClientSession;
  /** The time or the attempts of a client session ran out. If a card token was created in it before, a payment with that token can still complete it. */
  "client_session.expired": ClientSession;
  /** A client session was cancelled: it takes no more attempts. */
  "client_session.cancelled": ClientSession;
  /** Captured charges and accepted refunds of one currency were settled in a batch. */
  "settlement_batch.created": SettlementBatch;
  /** An API key was created, either new or by rotating the key in `rotated_from`. Its secret is not in the event. */
  "api_key.created": ApiKey;
  /** The name, permissions, expiry or allowed addresses of an API key changed. */
  "api_key.updated": ApiKey;
  /** An API key was disabled: requests with it are refused until it is enabled again. */
  "api_key.disabled": ApiKey;
  /** A disabled API key works again. */
  "api_key.enabled": ApiKey;
  /** The API key in `replaced_by` replaced this one, which works until `expires_at`. */
  "api_key.rotated": ApiKey;
  /** An API key was revoked: it never works again. */
  "api_key.revoked": ApiKey;
  /** A webhook endpoint was disabled: it returned 410, every delivery failed for five days, or you disabled it. */
  "webhook_endpoint.disabled": WebhookEndpoint;
  /** You requested a test event. It is sent to that webhook endpoint only, whatever types it subscribes to. */
  "webhook_endpoint.test": WebhookEndpoint;
}

/** Every type of event. */
export type EventType = keyof EventObjects;

/** The members that changed, as they were before. */
export type Previous<O> = { [K in keyof O]?: O[K] extends (infer Item)[] ? (Item | Partial<Item>)[] : O[K] };

/** What happened, with the object as it was then. `type` tells what `data` holds. */
export type Event<T extends EventType = EventType> = {
  [K in T]: {
    /** What happened. */
    type: K;
    /** Unique id of the event. */
    id: string;
    /** Always `event`. */
    object: "event";
    /** The API version of the object. */
    api_version: "v1";
    /** The environment it belongs to. */
    environment: "sandbox" | "live";
    /** Counts the object's events, so that you can order late ones. */
    sequence: number;
    /** When it happened. */
    created_at: string;
    /** What happened to what. */
    data: {
      /** The object as it was then. */
      object: EventObjects[K];
      /** The previous values of the fields that changed; null in an object's first event. */
      previous: Previous<EventObjects[K]> | null;
    };
  };
}[T];

/** Filters and page of payments.list. */
export interface ListPaymentsQuery {
  /** Results per page, 1–100; default 20. */
  limit?: number;
  /** Results to skip; default 0. */
  offset?: number;
  /** Continue after this id: pages through long lists at a constant cost. */
  starting_after?: string;
  /** Only this status. */
  status?: PaymentStatus;
  /** Only this customer (your own id). */
  customer_id?: string;
  /** Created later than this ISO 8601 time (exclusive). */
  created_after?: string;
  /** Created earlier than this ISO 8601 time (exclusive). */
  created_before?: string;
}

/** Filters and page of transactions.list. */
export interface ListTransactionsQuery {
  /** Results per page, 1–100; default 20. */
  limit?: number;
  /** Results to skip; default 0. */
  offset?: number;
  /** Continue after this id: pages through long lists at a constant cost. */
  starting_after?: string;
  /** Words to find, up to eight. Each must begin a word of the customer's name, e-mail or id, the description or a metadata value, or be an id, the card's last four digits or the amount (`19.90` or `19,90`). Case, accents, punctuation around a word and invisible characters do not matter. Apostrophes and hyphens may be left out (`obrien` finds O’Brien, `jeanluc` Jean-Luc), `ä` may be `a` or `ae`, `ö` and `ø` `o` or `oe`, `ü` `u` or `ue`, `å` `a` or `aa`. Chinese, Japanese, Korean and Thai text is found by any part of it, and hiragana and katakana are the same. Of long texts the first 4,000 characters in all are searched, and at most 200 words. */
  q?: string;
  /** Only this status. */
  status?: TransactionStatus;
  /** Only this card brand. */
  card_brand?: CardBrand;
  /** Smallest amount in minor units (inclusive). */
  min_amount?: number;
  /** Largest amount in minor units (inclusive). */
  max_amount?: number;
  /** Only this currency. */
  currency?: string;
  /** Created later than this ISO 8601 time (exclusive). */
  created_after?: string;
  /** Created earlier than this ISO 8601 time (exclusive). */
  created_before?: string;
  /** Only this customer id. */
  customer_id?: string;
  /** Only this subscription. */
  subscription_id?: string;
  /** Only this plan. */
  plan_id?: string;
  /** Only this type. */
  type?: "CHARGE" | "REFUND";
  /** Only this decline code. */
  decline_code?: DeclineCode;
  /** Captured later than this ISO 8601 time (exclusive). */
  captured_after?: string;
  /** Captured earlier than this ISO 8601 time (exclusive). */
  captured_before?: string;
  /** Only this reason for attention: `unknown_outcome` has no final answer from the processor, `failed_refund` is a refund that failed in the last 30 days, `capture_reversed` is a capture that the processor reversed in the last 30 days, `expiring` is an authorization that expires within 24 hours. */
  attention?: "unknown_outcome" | "failed_refund" | "capture_reversed" | "expiring";
}

/** Filters and page of customers.list. */
export interface ListCustomersQuery {
  /** Results per page, 1–100; default 20. */
  limit?: number;
  /** Results to skip; default 0. */
  offset?: number;
  /** Continue after this id: pages through long lists at a constant cost. */
  starting_after?: string;
  /** Words to find, up to eight. Each must begin a word of the customer's name, e-mail or id. Case, accents, apostrophes, hyphens and punctuation around a word do not matter, `ä` may be `ae`, and Chinese, Japanese, Korean and Thai names are found by any part. */
  q?: string;
}

/** Filters and page of subscriptionPlans.list. */
export interface ListPlansQuery {
  /** Results per page, 1–100; default 20. */
  limit?: number;
  /** Results to skip; default 0. */
  offset?: number;
  /** Continue after this id: pages through long lists at a constant cost. */
  starting_after?: string;
  /** Only this status. */
  status?: "DRAFT" | "ACTIVE" | "INACTIVE";
  /** Only this type. */
  type?: "ONE_TIME" | "SUBSCRIPTION_NO_TRIAL" | "SUBSCRIPTION_FREE_TRIAL" | "SUBSCRIPTION_PAID_TRIAL";
}

/** Filters and page of events.list. */
export interface ListEventsQuery {
  /** Results per page, 1–100; default 20. */
  limit?: number;
  /** Results to skip; default 0. */
  offset?: number;
  /** Continue after this id: pages through long lists at a constant cost. */
  starting_after?: string;
  /** Only events of this type. */
  type?: EventType;
  /** Only events about this object, such as a payment, a transaction or an API key. */
  object_id?: string;
  /** Created later than this ISO 8601 time (exclusive). */
  created_after?: string;
  /** Created earlier than this ISO 8601 time (exclusive). */
  created_before?: string;
}

/** Filters and page of webhookEndpoints.list. */
export interface ListWebhookEndpointsQuery {
  /** Results per page, 1–100; default 20. */
  limit?: number;
  /** Results to skip; default 0. */
  offset?: number;
}

/** Filters and page of webhookEndpoints.listDeliveries. */
export interface ListWebhookDeliveriesQuery {
  /** Results per page, 1–100; default 20. */
  limit?: number;
  /** Results to skip; default 0. */
  offset?: number;
  /** Continue after this id: pages through long lists at a constant cost. */
  starting_after?: string;
  /** Only this status. */
  status?: "PENDING" | "DELIVERED" | "FAILED";
  /** Only events of this type. */
  event_type?: EventType;
  /** Happened later than this ISO 8601 time (exclusive). */
  created_after?: string;
  /** Happened earlier than this ISO 8601 time (exclusive). */
  created_before?: string;
}

/** Filters and page of balance.listMovements. */
export interface ListMovementsQuery {
  /** Results per page, 1–100; default 20. */
  limit?: number;
  /** Results to skip; default 0. */
  offset?: number;
  /** Continue after this id: pages through long lists at a constant cost. */
  starting_after?: string;
  /** Only this currency. */
  currency?: string;
  /** Created later than this ISO 8601 time (exclusive). */
  created_after?: string;
  /** Created earlier than this ISO 8601 time (exclusive). */
  created_before?: string;
  /** Only this kind of movement. */
  type?: "capture" | "fee" | "refund" | "refund_reversal" | "settlement" | "payout" | "payout_failure" | "adjustment";
}

/** Filters and page of payouts.list. */
export interface ListPayoutsQuery {
  /** Results per page, 1–100; default 20. */
  limit?: number;
  /** Results to skip; default 0. */
  offset?: number;
  /** Continue after this id: pages through long lists at a constant cost. */
  starting_after?: string;
  /** Only this currency. */
  currency?: string;
  /** Created later than this ISO 8601 time (exclusive). */
  created_after?: string;
  /** Created earlier than this ISO 8601 time (exclusive). */
  created_before?: string;
  /** Only this status. */
  status?: "PENDING" | "IN_TRANSIT" | "PAID" | "FAILED";
}

/** Filters and page of settlementBatches.list. */
export interface ListSettlementBatchesQuery {
  /** Results per page, 1–100; default 20. */
  limit?: number;
  /** Results to skip; default 0. */
  offset?: number;
  /** Continue after this id: pages through long lists at a constant cost. */
  starting_after?: string;
  /** Only this currency. */
  currency?: string;
  /** Created later than this ISO 8601 time (exclusive). */
  created_after?: string;
  /** Created earlier than this ISO 8601 time (exclusive). */
  created_before?: string;
}

class PaymentsResource extends Resource {
  /**
   * Create a payment. Authorizes a card and, unless `capture_method` is `manual`, captures the amount. Returns 201 when the card is approved or needs 3-D Secure (`REQUIRES_ACTION`), 402 when it is declined, and 202 with status `PENDING` while the outcome is unknown: send the same request with the same key until you know.
   *
   * Needs the permission `payment.create`.
   */
  create(body: CreatePaymentRequest, options?: RequestOptions): Result<Payment> {
    return this.send({ method: "POST", path: "/v1/payments", body, takesKey: true }, options);
  }

  /**
   * List payments. Newest first. `starting_after` pages through long lists at a constant cost.
   *
   * Needs the permission `payment.read` or `transaction.read`.
   */
  list(query: ListPaymentsQuery = {}, options?: RequestOptions): PageResult<PaymentList, Payment> {
    return this.page({ method: "GET", path: "/v1/payments", query, byCursor: true }, options);
  }

  /**
   * Get a payment. The payment with its charge and latest refunds.
   *
   * Needs the permission `payment.read` or `transaction.read`.
   */
  get(id: string, options?: RequestOptions): Result<Payment> {
    return this.send({ method: "GET", path: `/v1/payments/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Capture a payment. Captures all or part of an authorized payment and releases the rest of the hold. A payment can be captured once.
   *
   * Needs the permission `transaction.capture`.
   */
  capture(id: string, body: CaptureRequest = {}, options?: RequestOptions): Result<Payment> {
    return this.send({ method: "POST", path: `/v1/payments/${encodeURIComponent(id)}/capture`, body, takesKey: true }, options);
  }

  /**
   * Void a payment. Releases the hold of an authorized payment that has not been captured.
   *
   * Needs the permission `transaction.void`.
   */
  void(id: string, body: VoidRequest = {}, options?: RequestOptions): Result<Payment> {
    return this.send({ method: "POST", path: `/v1/payments/${encodeURIComponent(id)}/void`, body, takesKey: true }, options);
  }

  /**
   * Refund a payment. Returns captured money to the card: the given amount, or all that remains. A payment can have at most 500 refunds.
   *
   * Needs the permission `transaction.refund`.
   */
  refund(id: string, body: RefundRequest = {}, options?: RequestOptions): Result<Payment> {
    return this.send({ method: "POST", path: `/v1/payments/${encodeURIComponent(id)}/refund`, body, takesKey: true }, options);
  }
}

class TransactionsResource extends Resource {
  /**
   * List transactions. Newest first, with filters that must all match. `total` is exact up to 10,000, and at most two seconds old. `starting_after` pages through long lists at a constant cost.
   *
   * Needs the permission `transaction.read` or `transaction.search`.
   */
  list(query: ListTransactionsQuery = {}, options?: RequestOptions): PageResult<TransactionList, Transaction> {
    return this.page({ method: "GET", path: "/v1/transactions", query, byCursor: true }, options);
  }

  /**
   * Search transactions. Filters, sorts and pages through transactions. Reads only, so it takes no idempotency key.
   *
   * Needs the permission `transaction.read` or `transaction.search`.
   */
  search(body: SearchTransactionsRequest = {}, options?: RequestOptions): PageResult<TransactionList, Transaction> {
    return this.page({ method: "POST", path: "/v1/transactions/search", body, isRead: true }, options);
  }

  /**
   * Get a transaction. One charge or refund.
   *
   * Needs the permission `transaction.read` or `transaction.search`.
   */
  get(id: string, options?: RequestOptions): Result<Transaction> {
    return this.send({ method: "GET", path: `/v1/transactions/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Capture a transaction. The same as capturing its payment; returns the transaction.
   *
   * Needs the permission `transaction.capture`.
   */
  capture(id: string, body: CaptureRequest = {}, options?: RequestOptions): Result<Transaction> {
    return this.send({ method: "POST", path: `/v1/transactions/${encodeURIComponent(id)}/capture`, body, takesKey: true }, options);
  }

  /**
   * Void a transaction. The same as voiding its payment; returns the transaction.
   *
   * Needs the permission `transaction.void`.
   */
  void(id: string, body: VoidRequest = {}, options?: RequestOptions): Result<Transaction> {
    return this.send({ method: "POST", path: `/v1/transactions/${encodeURIComponent(id)}/void`, body, takesKey: true }, options);
  }

  /**
   * Refund a transaction. The same as refunding its payment; returns the new transaction of type `REFUND`.
   *
   * Needs the permission `transaction.refund`.
   */
  refund(id: string, body: RefundRequest = {}, options?: RequestOptions): Result<Transaction> {
    return this.send({ method: "POST", path: `/v1/transactions/${encodeURIComponent(id)}/refund`, body, takesKey: true }, options);
  }
}

class CustomersResource extends Resource {
  /**
   * List customers. Your customers, most recent payment first: one for each `customer_id` in your payments or, without one, each e-mail address. Payments with neither belong to no customer. New payments appear within seconds.
   *
   * Needs the permission `transaction.read` or `transaction.search`.
   */
  list(query: ListCustomersQuery = {}, options?: RequestOptions): PageResult<CustomerList, Customer> {
    return this.page({ method: "GET", path: "/v1/customers", query, byCursor: true }, options);
  }

  /**
   * Get a customer. One customer, with totals by currency and the cards used.
   *
   * Needs the permission `transaction.read` or `transaction.search`.
   */
  get(id: string, options?: RequestOptions): Result<Customer> {
    return this.send({ method: "GET", path: `/v1/customers/${encodeURIComponent(id)}` }, options);
  }
}

class SubscriptionPlansResource extends Resource {
  /**
   * Create a subscription plan. What a customer pays and when. `ONE_TIME` is a single purchase. `full_price_amount` is in major units: 19.99.
   *
   * Needs the permission `subscription_plan.write`.
   */
  create(body: CreateSubscriptionPlanRequest, options?: RequestOptions): Result<SubscriptionPlan> {
    return this.send({ method: "POST", path: "/v1/subscription-plans", body, takesKey: true }, options);
  }

  /**
   * List subscription plans. Newest first.
   *
   * Needs the permission `subscription_plan.read`.
   */
  list(query: ListPlansQuery = {}, options?: RequestOptions): PageResult<SubscriptionPlanList, SubscriptionPlan> {
    return this.page({ method: "GET", path: "/v1/subscription-plans", query, byCursor: true }, options);
  }

  /**
   * Get a subscription plan. One plan.
   *
   * Needs the permission `subscription_plan.read`.
   */
  get(id: string, options?: RequestOptions): Result<SubscriptionPlan> {
    return this.send({ method: "GET", path: `/v1/subscription-plans/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Update a subscription plan. Changes the fields you send. An `ACTIVE` plan's price and timing never change.
   *
   * Needs the permission `subscription_plan.write`.
   */
  update(id: string, body: UpdateSubscriptionPlanRequest, options?: RequestOptions): Result<SubscriptionPlan> {
    return this.send({ method: "PATCH", path: `/v1/subscription-plans/${encodeURIComponent(id)}`, body }, options);
  }

  /**
   * Activate a subscription plan. Makes the plan usable in payments and client sessions. Activating an active plan changes nothing.
   *
   * Needs the permission `subscription_plan.write`.
   */
  activate(id: string, options?: RequestOptions): Result<SubscriptionPlan> {
    return this.send({ method: "POST", path: `/v1/subscription-plans/${encodeURIComponent(id)}/activate`, body: {} }, options);
  }

  /**
   * Deactivate a subscription plan. Stops new use of the plan. Deactivating an inactive plan changes nothing; a draft cannot be deactivated.
   *
   * Needs the permission `subscription_plan.write`.
   */
  deactivate(id: string, options?: RequestOptions): Result<SubscriptionPlan> {
    return this.send({ method: "POST", path: `/v1/subscription-plans/${encodeURIComponent(id)}/deactivate`, body: {} }, options);
  }
}

class ClientSessionsResource extends Resource {
  /**
   * Create a client session. Opens a session in which one shopper pays one amount, set here by your server and never by the browser. Valid for 24 hours, five attempts, one successful payment.
   *
   * Needs the permission `client_session.create`.
   */
  create(body: CreateClientSessionRequest, options?: RequestOptions): Result<ClientSession> {
    return this.send({ method: "POST", path: "/v1/client-sessions", body, takesKey: true }, options);
  }

  /**
   * Get a client session. The session's current state. Its token is never shown again.
   *
   * Needs the permission `client_session.create`.
   */
  get(id: string, options?: RequestOptions): Result<ClientSession> {
    return this.send({ method: "GET", path: `/v1/client-sessions/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Cancel a client session. Closes an open session: it takes no more attempts. An unfinished 3-D Secure challenge counts as abandoned. While a payment's outcome is unknown, the response is 409.
   *
   * Needs the permission `client_session.create`.
   */
  cancel(id: string, options?: RequestOptions): Result<ClientSession> {
    return this.send({ method: "POST", path: `/v1/client-sessions/${encodeURIComponent(id)}/cancel`, body: {} }, options);
  }
}

class EventsResource extends Resource {
  /**
   * List events. What happened in the last 90 days, newest first.
   *
   * Needs the permission `event.read`.
   */
  list(query: ListEventsQuery = {}, options?: RequestOptions): PageResult<EventList, Event> {
    return this.page({ method: "GET", path: "/v1/events", query, byCursor: true }, options);
  }

  /**
   * Get an event. One event of the last 90 days.
   *
   * Needs the permission `event.read`.
   */
  get(id: string, options?: RequestOptions): Result<Event> {
    return this.send({ method: "GET", path: `/v1/events/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Stream events. Server-sent events: each event as it happens, oldest first, with its id as `id`, its type as `event` and the event itself as `data`. Send the last `id` you received as `Last-Event-ID` to continue after it; without it, the stream begins now. The first message is an `id` without data, so that a connection lost before the first event misses none. Two events of one object that happen at the same time can arrive in either order: `sequence` says which came first. It closes within a second when its key stops working. Use the stream in development, and webhooks in production.
   *
   * Needs the permission `event.read`.
   */
  stream(options?: StreamOptions): AsyncIterableIterator<Event> {
    return this.open("/v1/events/stream", options);
  }
}

class WebhookEndpointsResource extends Resource {
  /**
   * Create a webhook endpoint. Events are sent there from now on, signed as Standard Webhooks specifies. Only this response shows the secret. Each url can have one endpoint; deleting it frees the url.
   *
   * Needs the permission `webhook_endpoint.write`.
   */
  create(body: CreateWebhookEndpointRequest, options?: RequestOptions): Result<WebhookEndpoint> {
    return this.send({ method: "POST", path: "/v1/webhook-endpoints", body, takesKey: true }, options);
  }

  /**
   * List webhook endpoints. Newest first.
   *
   * Needs the permission `webhook_endpoint.read`.
   */
  list(query: ListWebhookEndpointsQuery = {}, options?: RequestOptions): PageResult<WebhookEndpointList, WebhookEndpoint> {
    return this.page({ method: "GET", path: "/v1/webhook-endpoints", query }, options);
  }

  /**
   * Get a webhook endpoint. One webhook endpoint, without its secret.
   *
   * Needs the permission `webhook_endpoint.read`.
   */
  get(id: string, options?: RequestOptions): Result<WebhookEndpoint> {
    return this.send({ method: "GET", path: `/v1/webhook-endpoints/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Update a webhook endpoint. Changes the fields you send. Pending deliveries go to the new address, which no other endpoint can have.
   *
   * Needs the permission `webhook_endpoint.write`.
   */
  update(id: string, body: UpdateWebhookEndpointRequest, options?: RequestOptions): Result<WebhookEndpoint> {
    return this.send({ method: "PATCH", path: `/v1/webhook-endpoints/${encodeURIComponent(id)}`, body }, options);
  }

  /**
   * Delete a webhook endpoint. Stops sending there and deletes its deliveries.
   *
   * Needs the permission `webhook_endpoint.write`.
   */
  delete(id: string, options?: RequestOptions): Result<DeletedWebhookEndpoint> {
    return this.send({ method: "DELETE", path: `/v1/webhook-endpoints/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Rotate a webhook secret. Creates a new secret and shows it once. Messages carry one signature for each secret until the overlap ends; at most four earlier secrets sign, and the oldest is dropped first.
   *
   * Needs the permission `webhook_endpoint.write`.
   */
  rotateSecret(id: string, body: RotateWebhookSecretRequest = {}, options?: RequestOptions): Result<WebhookEndpoint> {
    return this.send({ method: "POST", path: `/v1/webhook-endpoints/${encodeURIComponent(id)}/rotate-secret`, body, takesKey: true }, options);
  }

  /**
   * Send a test event. Sends a `webhook_endpoint.test` event to this endpoint only, whatever types it subscribes to.
   *
   * Needs the permission `webhook_endpoint.write`.
   */
  test(id: string, options?: RequestOptions): Result<WebhookDelivery> {
    return this.send({ method: "POST", path: `/v1/webhook-endpoints/${encodeURIComponent(id)}/test`, body: {}, takesKey: true }, options);
  }

  /**
   * Send missed events. Sends events of a time range that were not delivered, or never sent, with the same ids. One call examines about 1,000 events, oldest first, and returns `next_since` where it stopped: call again with it as `since` until it is null.
   *
   * Needs the permission `webhook_endpoint.write`.
   */
  replay(id: string, body: ReplayWebhookEndpointRequest, options?: RequestOptions): Result<WebhookReplay> {
    return this.send({ method: "POST", path: `/v1/webhook-endpoints/${encodeURIComponent(id)}/replay`, body, takesKey: true }, options);
  }

  /**
   * List deliveries of an endpoint. What was sent to it in the last 90 days, newest first.
   *
   * Needs the permission `webhook_endpoint.read`.
   */
  listDeliveries(id: string, query: ListWebhookDeliveriesQuery = {}, options?: RequestOptions): PageResult<WebhookDeliveryList, WebhookDelivery> {
    return this.page({ method: "GET", path: `/v1/webhook-endpoints/${encodeURIComponent(id)}/deliveries`, query, byCursor: true }, options);
  }
}

class WebhookDeliveriesResource extends Resource {
  /**
   * Get a delivery. One delivery with its attempts: each request and response.
   *
   * Needs the permission `webhook_endpoint.read`.
   */
  get(id: string, options?: RequestOptions): Result<WebhookDeliveryDetail> {
    return this.send({ method: "GET", path: `/v1/webhook-deliveries/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Resend a delivery. Sends the event again right away, with the same id. A pending delivery is attempted right away.
   *
   * Needs the permission `webhook_endpoint.write`.
   */
  resend(id: string, options?: RequestOptions): Result<WebhookDelivery> {
    return this.send({ method: "POST", path: `/v1/webhook-deliveries/${encodeURIComponent(id)}/resend`, body: {}, takesKey: true }, options);
  }
}

class BalanceResource extends Resource {
  /**
   * Get the balance. What is pending, available and on its way to your bank, by currency, exact at the time of the request.
   *
   * Needs the permission `balance.read`.
   */
  get(options?: RequestOptions): Result<Balance> {
    return this.send({ method: "GET", path: "/v1/balance" }, options);
  }

  /**
   * List balance movements. Everything that changed the balance, newest first, each with its transaction, settlement batch or payout.
   *
   * Needs the permission `balance.read`.
   */
  listMovements(query: ListMovementsQuery = {}, options?: RequestOptions): PageResult<BalanceMovementList, BalanceMovement> {
    return this.page({ method: "GET", path: "/v1/balance/movements", query, byCursor: true }, options);
  }
}

class PayoutsResource extends Resource {
  /**
   * List payouts. Newest first. In the sandbox each settled batch is paid out, and reaches the bank a day later.
   *
   * Needs the permission `balance.read`.
   */
  list(query: ListPayoutsQuery = {}, options?: RequestOptions): PageResult<PayoutList, Payout> {
    return this.page({ method: "GET", path: "/v1/payouts", query, byCursor: true }, options);
  }

  /**
   * Get a payout. One payout.
   *
   * Needs the permission `balance.read`.
   */
  get(id: string, options?: RequestOptions): Result<Payout> {
    return this.send({ method: "GET", path: `/v1/payouts/${encodeURIComponent(id)}` }, options);
  }
}

class SettlementBatchesResource extends Resource {
  /**
   * List settlement batches. Newest first. A batch holds transactions of one currency that settled together.
   *
   * Needs the permission `balance.read`.
   */
  list(query: ListSettlementBatchesQuery = {}, options?: RequestOptions): PageResult<SettlementBatchList, SettlementBatch> {
    return this.page({ method: "GET", path: "/v1/settlement-batches", query, byCursor: true }, options);
  }

  /**
   * Get a settlement batch. One settlement batch.
   *
   * Needs the permission `balance.read`.
   */
  get(id: string, options?: RequestOptions): Result<SettlementBatch> {
    return this.send({ method: "GET", path: `/v1/settlement-batches/${encodeURIComponent(id)}` }, options);
  }
}

class OpenapiResource extends Resource {
  /** Get this document. The OpenAPI 3.1 description of this API, generated from the schemas that validate requests. */
  get(options?: RequestOptions): Result<Record<string, unknown>> {
    return this.send({ method: "GET", path: "/v1/openapi.json" }, options);
  }
}

/** Every resource of the API under its name. */
export class Resources {
  readonly payments: PaymentsResource;
  readonly transactions: TransactionsResource;
  readonly customers: CustomersResource;
  readonly subscriptionPlans: SubscriptionPlansResource;
  readonly clientSessions: ClientSessionsResource;
  readonly events: EventsResource;
  readonly webhookEndpoints: WebhookEndpointsResource;
  readonly webhookDeliveries: WebhookDeliveriesResource;
  readonly balance: BalanceResource;
  readonly payouts: PayoutsResource;
  readonly settlementBatches: SettlementBatchesResource;
  readonly openapi: OpenapiResource;

  constructor(transport: Transport) {
    this.payments = new PaymentsResource(transport);
    this.transactions = new TransactionsResource(transport);
    this.customers = new CustomersResource(transport);
    this.subscriptionPlans = new SubscriptionPlansResource(transport);
    this.clientSessions = new ClientSessionsResource(transport);
    this.events = new EventsResource(transport);
    this.webhookEndpoints = new WebhookEndpointsResource(transport);
    this.webhookDeliveries = new WebhookDeliveriesResource(transport);
    this.balance = new BalanceResource(transport);
    this.payouts = new PayoutsResource(transport);
    this.settlementBatches = new SettlementBatchesResource(transport);
    this.openapi = new OpenapiResource(transport);
  }
}
