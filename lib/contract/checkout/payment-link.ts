/** Payment links: addresses that sell a plan or an amount, managed in the dashboard. */

import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { amount, currency, humanText, instant, queryOffset, timestamp } from "@/lib/contract/fields";
import { idInput, idOf } from "@/lib/contract/ids";
import type { ShownActor } from "@/lib/contract/payments/payment-detail";
import type { Plan } from "@/lib/contract/plans/plan";
import type { PlanTerms } from "@/lib/contract/plans/schedule";

/**
 * ACTIVE: accepts payments. INACTIVE: deactivated. COMPLETED: a paid single-use link. PLAN_INACTIVE: its plan
 * isn't for sale.
 */
export const PAYMENT_LINK_STATUSES = ["ACTIVE", "INACTIVE", "EXPIRED", "COMPLETED", "PLAN_INACTIVE"] as const;
export type PaymentLinkStatus = (typeof PAYMENT_LINK_STATUSES)[number];

export const PAYMENT_LINK_NAME = 100;
export const PAYMENT_LINK_DESCRIPTION = 200;

const name = humanText(PAYMENT_LINK_NAME);
const description = humanText(PAYMENT_LINK_DESCRIPTION);

export const paymentLink = z.object({
  id: idOf("paymentLink"),
  object: z.literal("payment_link"),
  /** Address for shoppers; it can be shown again at any time. */
  url: z.string(),
  status: z.enum(PAYMENT_LINK_STATUSES),
  name: z.string().nullable(),
  plan_id: idOf("plan").nullable(),
  /** Minor units: its own amount, or its plan's first payment. */
  amount: z.int(),
  currency: z.string(),
  description: z.string().nullable(),
  single_use: z.boolean(),
  /** The form requires an e-mail address, which identifies the customer and receives the receipt. */
  asks_email: z.boolean(),
  active: z.boolean(),
  expires_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type PaymentLink = z.infer<typeof paymentLink>;

/** The price is a plan's, or an amount and a currency with a description. */
export const createPaymentLinkBody = z
  .strictObject({
    name: name.nullable().default(null),
    plan_id: idInput.nullable().default(null),
    amount: amount.nullable().default(null),
    currency: currency.nullable().default(null),
    description: description.nullable().default(null),
    single_use: z.boolean().default(false),
    asks_email: z.boolean().default(true),
    expires_at: instant.nullable().default(null),
  })
  .superRefine((body, context) => {
    const wrong = (param: string, message: string, code = "missing_parameter") =>
      context.addIssue({ code: "custom", path: [param], params: { code }, message });
    if (body.plan_id !== null) {
      const message = "Send either plan_id, or amount and currency.";
      if (body.amount !== null) wrong("amount", message, "invalid_parameter");
      if (body.currency !== null) wrong("currency", message, "invalid_parameter");
      return;
    }
    if (body.amount === null) wrong("amount", "Enter the amount, or choose a plan.");
    if (body.currency === null) wrong("currency", "Choose the currency of the amount.");
    if (body.description === null) wrong("description", "Describe what you sell: shoppers see it on the payment page.");
  });
export type CreatePaymentLinkBody = z.infer<typeof createPaymentLinkBody>;

/** Item, price and usage are fixed, because published addresses must keep their meaning. */
export const updatePaymentLinkBody = z.strictObject({
  name: name.nullable().optional(),
  description: description.nullable().optional(),
  expires_at: instant.nullable().optional(),
  asks_email: z.boolean().optional(),
  active: z.boolean().optional(),
});
export type UpdatePaymentLinkBody = z.infer<typeof updatePaymentLinkBody>;

/** Filter of the link list, as in its address. */
export const paymentLinkListQuery = z.strictObject({
  status: z.enum(["ACTIVE"]).optional(),
  offset: queryOffset,
});
export type PaymentLinkListQuery = z.infer<typeof paymentLinkListQuery>;

/**
 * A link's completed sessions (payments, or subscriptions begun) and their captured amounts. `capped`: there are more
 * than these newest ones.
 */
export type LinkSales = { count: number; capped: boolean; captured: { currency: string; amount: number }[] };

/** A link as a row of the list. */
export type PaymentLinkItem = PaymentLink & {
  plan_name: string | null;
  /** Its plan's; null if it sells an amount. */
  terms: PlanTerms | null;
  opened: number;
  sales: LinkSales;
};

/** A link in full, for its page. */
export type PaymentLinkDetail = {
  link: PaymentLinkItem;
  /** Same value as in the API; null if the link sells an amount. */
  plan: Plan | null;
  /** Null when its record is gone. */
  created_by: ShownActor | null;
};

/** Title of a link: its own name, or its item. */
export const linkTitle = (link: {
  name: string | null;
  plan_name: string | null;
  description: string | null;
}): string => link.name ?? link.plan_name ?? link.description ?? "Payment link";

const BASE = "/api/dashboard/{mode}/payment-links";

export const createPaymentLink = dashboardEndpoint({
  name: "createPaymentLink",
  method: "POST",
  path: BASE,
  permission: "client_session.create",
  verified: "live",
  reauthentication: "live",
  body: createPaymentLinkBody,
  status: 201,
  response: paymentLink,
});

/**
 * Changes the given fields; deactivating stops new attempts to pay. In live mode it requires
 * re-authentication, unless it only deactivates.
 */
export const updatePaymentLink = dashboardEndpoint({
  name: "updatePaymentLink",
  method: "PATCH",
  path: `${BASE}/{id}`,
  permission: "client_session.create",
  body: updatePaymentLinkBody,
  status: 200,
  response: paymentLink,
});
