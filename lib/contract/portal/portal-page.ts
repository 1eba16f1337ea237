import type { Shop } from "@/lib/contract/checkout/shop";
import type { ListedCreditNote } from "@/lib/contract/invoices/credit-notes";
import type { PaymentMethodStatus } from "@/lib/contract/payment-methods/payment-method";
import type { Period } from "@/lib/contract/plans/schedule";
import type { InvoiceStatus, SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";
import type { CardBrand } from "@/lib/contract/transactions/words";

/** A customer's possible actions on a subscription, by its status and the merchant's settings. */
export type PortalActions = { card: boolean; cancel: boolean; continue: boolean };

export type PortalCard = {
  brand: CardBrand | null;
  last4: string;
  exp_month: number;
  exp_year: number;
  status: PaymentMethodStatus;
};

/** Amounts in minor units, times in ISO 8601. */
export type PortalSubscription = {
  /** `sub_…` */
  id: string;
  status: SubscriptionStatus;
  plan_name: string;
  quantity: number;
  currency: string;
  /** Price of a period, of all units. */
  price: number;
  every: Period;
  /** IANA name of the zone in which its periods are counted. */
  time_zone: string;
  period_end_at: string;
  ended_at: string | null;
  is_in_trial: boolean;
  cancel_at_period_end: boolean;
  next_invoice_at: string | null;
  next_invoice_amount: number | null;
  /** A change that takes effect at the end of the period. */
  change: { plan_name: string; at: string } | null;
  /** Null until the processor shows it. */
  card: PortalCard | null;
  /** The unpaid invoices; null if there are none. `next_attempt_at`: when the card is charged again. */
  owed: { amount: number; next_attempt_at: string | null } | null;
  actions: PortalActions;
};

export type PortalInvoice = {
  /** `inv_…` */
  id: string;
  number: string;
  status: Exclude<InvoiceStatus, "DRAFT">;
  amount_due: number;
  currency: string;
  created_at: string;
  time_zone: string;
  /** Address of its page. */
  url: string;
  /** The customer can pay it now. */
  is_payable: boolean;
  /** Its refunds' documents, which are below its page's address. */
  credit_notes: readonly ListedCreditNote[];
};

/** Result of the customer's last action, shown only if the data confirms it. */
export type PortalNotice =
  | { kind: "cancelled" | "continued"; subscription: PortalSubscription }
  | { kind: "card"; card: PortalCard }
  | { kind: "paid"; number: string }
  | { kind: "paying" | "changed" | "busy" };

export type PortalPage = {
  shop: Shop;
  /** The merchant takes no money at the moment. */
  suspended: boolean;
  /** The merchant's address to go back to. */
  return_url: string | null;
  subscriptions: readonly PortalSubscription[];
  /** Newest first; null if the merchant doesn't show them. */
  invoices: readonly PortalInvoice[] | null;
  notice: PortalNotice | null;
};

/** Paths of a session's page. */
export const portalPaths = (token: string) => ({
  page: `/portal/${token}`,
  card: `/portal/${token}/card`,
  pay: `/portal/${token}/pay`,
  cancel: `/portal/${token}/cancel`,
  continue: `/portal/${token}/continue`,
});
export type PortalPaths = ReturnType<typeof portalPaths>;

/**
 * Return path of the payment form. It contains no token; the tab's session storage has it instead.
 */
export const PORTAL_BACK = "/portal/back";
