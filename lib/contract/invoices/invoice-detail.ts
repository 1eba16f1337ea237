import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import type { DeclineCode } from "@/lib/contract/errors";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import type { PaymentEvent, ShownActor } from "@/lib/contract/payments/payment-detail";
import type { SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";
import type { CardBrand } from "@/lib/contract/transactions/words";
import type { ListedCreditNote } from "./credit-notes";
import type { Invoice } from "./invoice";

export type InvoiceAction = "pay" | "void" | "mark-uncollectible";

/** An invoice in full, for its page. Types only, because browser code imports this file. */
export type InvoiceDetail = {
  invoice: Invoice;
  available_actions: InvoiceAction[];
  subscription: { id: string; status: SubscriptionStatus; plan_name: string; quantity: number };
  customer: {
    /** `cust_…`; null until the customer's first payment. */
    id: string | null;
    name: string | null;
    email: string | null;
  };
  /** The subscription's card. */
  card: ShownCard;
  next: NextStep | null;
  /** Oldest first. */
  payments: InvoicePayment[];
  /** One per refund, oldest first. */
  credit_notes: (ListedCreditNote & { payment_id: string })[];
  /** Language and zone of the customer's documents. */
  locale: CheckoutLocale;
  time_zone: string;
  /** Oldest first. */
  timeline: InvoiceTimelineEntry[];
  /** Newest first. */
  events: PaymentEvent[];
};

export type ShownCard = {
  /** `pm_…` */
  id: string | null;
  brand: CardBrand | null;
  last4: string | null;
};

/** Next step of an open invoice. */
export type NextStep =
  | { kind: "attempt"; at: string }
  /** A payment whose outcome isn't known yet. */
  | { kind: "outcome"; payment_id: string }
  /** An authorization that waits for its capture. */
  | { kind: "hold"; payment_id: string }
  /** 3-D Secure. */
  | { kind: "customer"; payment_id: string }
  | { kind: "paused" }
  /** `removed`: the subscription's card was removed; otherwise its issuer refuses it for good. */
  | { kind: "card"; removed: boolean }
  /** Every planned attempt failed. */
  | { kind: "nothing" };

export type InvoicePayment = {
  id: string;
  status: PaymentStatus;
  amount: number;
  currency: string;
  card: Omit<ShownCard, "id">;
  decline: { code: DeclineCode; meaning: string } | null;
  /** Made by the billing engine, not manually. */
  automatic: boolean;
  actor: ShownActor;
  at: string;
};

export type InvoiceTimelineEntry = {
  id: string;
  kind: "created" | "opened" | "failed" | "paid" | "void" | "uncollectible" | "pending" | "customer";
  at: string;
  /** Null if it follows from something else. */
  actor: ShownActor | null;
  /** `pay_…` of the payment that it reports. */
  payment_id: string | null;
  /** Why the payment failed, in plain words. */
  said: string | null;
  /** The attempt that was planned then. */
  next_attempt_at: string | null;
};
