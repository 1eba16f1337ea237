import { z } from "zod";
import { emailAddress } from "@/lib/contract/accounts/fields";
import type { Appearance, ShownLogo } from "@/lib/contract/checkout/appearance";
import { CHECKOUT_LOCALES, type CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { refuseCardNumber } from "@/lib/contract/fields";
import { MAX_TAX_NAME, type ShownTax, taxProblems } from "@/lib/contract/invoices/tax";
import type { CardBrand } from "@/lib/contract/transactions/words";

/**
 * Cause of a mailed receipt: automatically after a capture, a refund or a failed refund, or sent by a user.
 */
export const RECEIPT_CAUSES = ["captured", "refunded", "refund_failed", "requested"] as const;
export type ReceiptCause = (typeof RECEIPT_CAUSES)[number];

/** Max receipts that users may send per payment within 24 hours, to any addresses. */
export const MAX_SENT_A_DAY = 5;

/** A receipt for its page: of the card only brand and last 4 digits, and no name but the merchant's. */
export type Receipt = {
  /** Short reference for conversations: the last eight characters of the payment's id. */
  number: string;
  /** `pay_…` */
  payment_id: string;
  environment: "sandbox" | "live";
  /** Language of the payment form used; the environment's without one. */
  locale: CheckoutLocale;
  /** `INV-…` if the payment paid an invoice. */
  invoice_number: string | null;
  merchant_name: string;
  support_email: string | null;
  /** Postal address, with line breaks. */
  business_address: string | null;
  tax_number: string | null;
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
  /** The tax that the captured amount includes. */
  tax: ShownTax | null;
  amount_refunded: number;
  /** ISO 8601. */
  captured_at: string;
  card: { brand: CardBrand | null; last4: string } | null;
  /** Oldest first, without failed ones. */
  refunds: {
    amount: number;
    at: string;
    pending: boolean;
    /** `CN-…`, once it has succeeded. */
    credit_note: string | null;
  }[];
};

/** `pay_01kb…f9q3c7ab` → "F9Q3-C7AB". */
export const receiptNumber = (paymentId: string): string =>
  paymentId
    .slice(-8)
    .toUpperCase()
    .replace(/^(.{4})/, "$1-");

/** Receipt endpoints, all for the dashboard. */

/** Receipts that customers receive automatically; absent members stay. */
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

const taxName = z
  .string()
  .trim()
  .max(MAX_TAX_NAME, `Use at most ${MAX_TAX_NAME} characters.`)
  .refine((text) => /^[\p{L}\p{Nd} .&/-]*$/u.test(text), "Use letters, digits, spaces and dots.")
  .superRefine(refuseCardNumber);

/**
 * The tax of one mode, which its prices include, and the language of documents for customers who used no payment
 * form. Empty texts: no tax. `tax_percentage` has at most three decimals.
 */
export const updateDocuments = dashboardEndpoint({
  name: "updateDocuments",
  method: "PATCH",
  path: "/api/dashboard/{mode}/documents",
  permission: "settings.manage",
  verified: "always",
  body: z
    .strictObject({ tax_name: taxName, tax_percentage: z.string().trim().max(12), locale: z.enum(CHECKOUT_LOCALES) })
    .superRefine(({ tax_name, tax_percentage }, context) => {
      for (const { param, message } of taxProblems(tax_name, tax_percentage)) {
        context.addIssue({ code: "custom", path: [param], message });
      }
    }),
  status: 200,
  response: z.object({
    tax_name: z.string(),
    /** With a decimal point. */ tax_percentage: z.string(),
    locale: z.enum(CHECKOUT_LOCALES),
  }),
});

/** Mails a payment's receipt to an address: at most five times a day. */
export const sendReceipt = dashboardEndpoint({
  name: "sendReceipt",
  method: "POST",
  path: "/api/dashboard/{mode}/payments/{id}/receipt",
  permission: "transaction.refund",
  verified: "always",
  costly: true,
  body: z.strictObject({ email: emailAddress }),
  status: 200,
  response: z.object({
    email: z.string(),
    /** Destination of the mail. */ mail: z.enum(["sent", "outbox", "console"]),
  }),
});
