import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import type { Shop } from "@/lib/contract/checkout/shop";
import type { CardBrand } from "@/lib/contract/transactions/words";
import type { ListedCreditNote } from "./credit-notes";
import type { InvoiceLine } from "./invoice";
import type { ShownTax } from "./tax";

/** Payability of an invoice on its page: payable, or the reason why not. */
export type InvoicePayment = "payable" | "in_progress" | "unavailable" | "none";

/** An invoice for its customer's page: of the card only brand and last 4 digits. Amounts in minor units. */
export type HostedInvoice = {
  shop: Shop;
  number: string;
  status: "OPEN" | "PAID" | "VOID" | "UNCOLLECTIBLE";
  customer_email: string | null;
  /** Language of the form in which the customer stored the card; the environment's without one. */
  locale: CheckoutLocale;
  /** IANA name of the zone in which the subscription's periods are counted. */
  time_zone: string;
  lines: readonly InvoiceLine[];
  /** Negative if the customer gets credit. */
  total: number;
  /** The tax that the total includes. */
  tax: ShownTax | null;
  credit_used: number;
  amount_due: number;
  currency: string;
  /** ISO 8601. */
  created_at: string;
  paid_at: string | null;
  /** The card that paid it; null if there was nothing to pay. */
  card: { brand: CardBrand | null; last4: string } | null;
  /** The last attempt to pay it failed. */
  failed: boolean;
  /** When its card is charged again; null if that isn't planned. */
  next_attempt_at: string | null;
  payment: InvoicePayment;
  /** Oldest first. */
  credit_notes: readonly ListedCreditNote[];
};
