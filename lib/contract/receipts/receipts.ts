import { z } from "zod";
import { emailAddress } from "@/lib/contract/accounts/fields";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import type { CardBrand } from "@/lib/contract/transactions/words";

/** Why a receipt was mailed: by itself after a capture, a refund, or a refund's return, or because a user sent it. */
export const RECEIPT_CAUSES = ["captured", "refunded", "refund_failed", "requested"] as const;
export type ReceiptCause = (typeof RECEIPT_CAUSES)[number];

/** What users may send of one payment within 24 hours, to whatever addresses. */
export const MAX_SENT_A_DAY = 5;

/** A receipt as its page shows it: nothing of the card but brand and last 4 digits, and nobody's name but the merchant's. */
export type Receipt = {
  /** Short, for people to tell each other: the last eight signs of the payment's id. */
  number: string;
  /** `pay_…` */
  payment_id: string;
  environment: "sandbox" | "live";
  /** Of the payment form that took the payment; English without one. */
  locale: CheckoutLocale;
  merchant_name: string;
  support_email: string | null;
  website: string | null;
  logo: ShownLogo | null;
  appearance: Appearance | null;
  /** IANA name of the business's time zone. */
  time_zone: string;
  /** The plan's name, or the payment's description. */
  bought: string | null;
  currency: string;
  /** Minor units. */
  amount_captured: number;
  amount_refunded: number;
  /** ISO 8601. */
  captured_at: string;
  card: { brand: CardBrand | null; last4: string } | null;
  /** Oldest first; none that failed. */
  refunds: { amount: number; at: string; pending: boolean }[];
};

/** A picture of ours as pages show it. Its address has the digest of its bytes in it. */
export type ShownLogo = { src: string; width: number; height: number };

/** `pay_01kb…f9q3c7ab` → "F9Q3-C7AB". */
export const receiptNumber = (paymentId: string): string =>
  paymentId
    .slice(-8)
    .toUpperCase()
    .replace(/^(.{4})/, "$1-");

/** Endpoints of receipts; all of them are the dashboard's. */

/** Which receipts the customers of a business get by themselves; what is left out stays. */
export const updateReceipts = dashboardEndpoint({
  name: "updateReceipts",
  method: "PATCH",
  path: "/api/dashboard/business/receipts",
  permission: "settings.manage",
  verified: "always",
  body: z.strictObject({ on_capture: z.boolean().optional(), on_refund: z.boolean().optional() }),
  status: 200,
  response: z.object({ on_capture: z.boolean(), on_refund: z.boolean() }),
});

/** Mails the receipt of a payment to an address: five times a day at most. */
export const sendReceipt = dashboardEndpoint({
  name: "sendReceipt",
  method: "POST",
  path: "/api/dashboard/{mode}/payments/{id}/receipt",
  permission: "transaction.refund",
  verified: "always",
  costly: true,
  body: z.strictObject({ email: emailAddress }),
  status: 200,
  response: z.object({ email: z.string(), /** Where it went. */ mail: z.enum(["sent", "outbox", "console"]) }),
});
