import { z } from "zod";
import {
  amount,
  amountOut,
  billingAddress,
  createdParams,
  currency,
  customerFields,
  humanText,
  isPagedOnce,
  listOf,
  metadata,
  PAGED_TWICE,
  pageParams,
  refuseOwnCard,
  text,
  textBesideCard,
  timestamp,
  webUrl,
} from "@/lib/contract/fields";
import { idInput, idOf } from "@/lib/contract/ids";
import {
  action,
  captureReversedAt,
  cardBrand,
  disputeMark,
  refundReason,
  transaction,
} from "@/lib/contract/transactions/transaction";
import { TRANSACTION_STATUSES } from "@/lib/contract/transactions/words";
import { passesLuhn } from "./words";

export const PAYMENT_STATUSES = [...TRANSACTION_STATUSES, "REQUIRES_ACTION"] as const;
const paymentStatus = z.enum(PAYMENT_STATUSES).meta({ id: "PaymentStatus" });
export type PaymentStatus = z.infer<typeof paymentStatus>;

/** The party that begins a payment with a stored card. */
export const INITIATORS = ["customer", "merchant"] as const;
const initiator = z.enum(INITIATORS);

export const captureMethod = z.enum(["automatic", "manual"]);

/** Max refunds of a payment, because each adds to the size of its reads. */
export const MAX_REFUNDS = 500;
/** Max refunds in a payment's response and in its events. */
export const SHOWN_REFUNDS = 100;

/** The shopper's next step: the card issuer's challenge page. */
export const nextAction = z
  .object({
    type: z.literal("redirect_to_url").describe("Always `redirect_to_url`."),
    redirect_to_url: z.object({ url: z.string() }).describe("The card issuer's challenge page."),
    expires_at: timestamp.describe("When the challenge expires."),
  })
  .meta({ id: "NextAction" });
export type NextAction = z.infer<typeof nextAction>;

/** A card as objects show it, without its number. */
export const cardShown = z.object({
  brand: cardBrand.nullable(),
  last4: z.string(),
  exp_month: z.int(),
  exp_year: z.int(),
  bin: z.string().nullable(),
});

export const payment = z
  .object({
    id: idOf("payment").describe("Unique id of the payment."),
    object: z.literal("payment").describe("Always `payment`."),
    status: paymentStatus.describe("Its current status."),
    amount: amountOut.describe("Requested amount, in minor units."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    capture_method: captureMethod.describe("Whether it is captured immediately or when you call capture."),
    amount_captured: amountOut.describe("Captured so far, in minor units."),
    amount_capturable: amountOut.describe("What can still be captured, in minor units."),
    amount_refunded: amountOut.describe("Refunded so far, in minor units; also in the processor's own dashboard."),
    amount_refundable: amountOut.describe("What can still be refunded, in minor units."),
    available_actions: z.array(action).describe("What you can do with it now."),
    customer_id: z.string().nullable().describe("Your own id for the customer."),
    customer_email: z.string().nullable().describe("The customer's e-mail address."),
    customer_name: z.string().nullable().describe("The customer's name."),
    billing_address: billingAddress.nullable().describe("The card's billing address."),
    card: cardShown.nullable().describe("The card, without its number."),
    payment_method_id: idOf("paymentMethod")
      .nullable()
      .describe("The stored card that it charged, or that it stored with `save_payment_method`."),
    initiator: initiator
      .nullable()
      .describe(
        "Who began it: `merchant` without the customer, `customer` with them. Null unless it charged a stored card.",
      ),
    plan_id: idOf("plan").nullable().describe("The plan it pays for."),
    subscription_id: idOf("subscription").nullable().describe("The subscription it pays for."),
    invoice_id: idOf("invoice").nullable().describe("The invoice that it pays."),
    client_session_id: idOf("clientSession").nullable().describe("The client session it was paid in."),
    description: z.string().nullable().describe("Your own note."),
    metadata: metadata.describe("Your own keys and values."),
    next_action: nextAction.nullable().describe("What the shopper must do next, when the status is `REQUIRES_ACTION`."),
    transactions: z
      .array(transaction)
      .describe(`Its charge, then its refunds, oldest first: the latest ${SHOWN_REFUNDS} of them.`),
    dispute: disputeMark.describe("Its dispute, of several the one that decides about refunds; null when undisputed."),
    amount_disputed: z.int().describe("The amount of its disputes that are open or lost, in its currency."),
    capture_reversed_at: captureReversedAt,
    transactions_has_more: z.boolean().describe("Whether it has older refunds that are not shown."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    created_at: timestamp.describe("When it was created."),
    updated_at: timestamp.describe("When it last changed."),
  })
  .meta({ id: "Payment" });
export type Payment = z.infer<typeof payment>;

export const paymentList = listOf(payment).meta({ id: "PaymentList" });

/** Card data. It is in memory only, from here to the processor's `tokenize`, and never written anywhere. */
export const cardInput = z
  .strictObject({
    number: z
      .string()
      .max(40)
      .transform((value) => value.replace(/[ -]/g, ""))
      .refine(
        (digits) => /^\d{12,19}$/.test(digits) && passesLuhn(digits),
        "The card number is not valid. Check it for typos.",
      )
      .describe("Card number; spaces and dashes are ignored."),
    exp_month: z.int().min(1).max(12).describe("Month the card expires, 1–12."),
    exp_year: z.int().min(2000).max(2100).describe("Year the card expires, four digits."),
    cvv: z
      .string()
      .regex(/^\d{3,4}$/, "Use the 3 or 4 digits of the security code.")
      .describe("Security code: 4 digits for American Express, 3 for all others."),
    name: textBesideCard(255).optional().describe("Name on the card."),
  })
  .refine((card) => card.cvv.length === (/^3[47]/.test(card.number) ? 4 : 3), {
    path: ["cvv"],
    message: "American Express cards have 4 digits, all others 3.",
  })
  .meta({ id: "CardRequest" });
export type CardInput = z.infer<typeof cardInput>;

export const paymentToken = z
  .string()
  .min(1)
  .max(10_000)
  .describe(
    "Card token from the payment form: valid once, for 15 minutes, and for its client session's amount, currency and plan. Or the connected processor's own token, created by its script on your page.",
  );

/** Adds an issue unless a body has exactly one card, as one of these members. */
export function requireOneCard<Name extends "payment_token" | "payment_method_id" | "card">(
  body: { [K in Name]?: unknown },
  names: readonly Name[],
  context: z.RefinementCtx,
): void {
  const given = names.filter((name) => body[name] !== undefined);
  const others = names.filter((name) => name !== "card").join(", a ");
  if (given.length === 0) {
    context.addIssue({
      code: "custom",
      path: ["payment_token"],
      params: { code: "missing_parameter" },
      message: `Send a ${others}, or in test mode a card.`,
    });
  } else if (given.length > 1) {
    const message = `Send only one of ${names.join(", ")}.`;
    context.addIssue({ code: "custom", path: [given.at(-1) as string], message });
  }
}

/** Body of POST /v1/payments. */
export const createPaymentBody = z
  .strictObject({
    amount: amount.describe("Amount in minor units: 4999 is $49.99, or ¥4999."),
    currency: currency.describe("ISO 4217 code, upper case."),
    payment_token: paymentToken.optional(),
    card: cardInput.optional().describe("Raw card data, in test mode only."),
    payment_method_id: idInput
      .optional()
      .describe(
        "A stored card instead. The payment has its customer, and your `customer_id` must be the same or left out.",
      ),
    initiator: initiator
      .optional()
      .describe(
        "With `payment_method_id`: `customer` if the customer is present and can pass a challenge, `merchant` if you charge by agreement. Default `merchant`.",
      ),
    save_payment_method: z
      .boolean()
      .optional()
      .describe("`true` stores the card for later payments of the `customer_id`, once this payment is approved."),
    capture_method: captureMethod.default("automatic").describe("`manual` authorizes now; you capture later."),
    ...customerFields,
    plan_id: idInput
      .nullable()
      .default(null)
      .describe("An active plan this pays for. Amount and currency must match its price or its paid trial's price."),
    description: humanText(1000).nullable().default(null).describe("Your own note."),
    metadata: metadata.default({}),
    return_url: webUrl
      .nullable()
      .default(null)
      .describe("Where the shopper returns to after 3-D Secure. In live mode, https only."),
  })
  .superRefine((body, context) => {
    refuseOwnCard(body, context);
    requireOneCard(body, ["payment_token", "payment_method_id", "card"], context);
    const wrong = (param: keyof typeof body, message: string) =>
      context.addIssue({ code: "custom", path: [param], message });
    if (body.initiator !== undefined && body.payment_method_id === undefined)
      wrong("initiator", "Send initiator only with a payment_method_id.");
    if (!body.save_payment_method) return;
    if (body.payment_method_id !== undefined) wrong("save_payment_method", "This card is stored already.");
    else if (body.customer_id === null)
      context.addIssue({
        code: "custom",
        path: ["customer_id"],
        params: { code: "missing_parameter" },
        message: "Send the customer that the card belongs to.",
      });
  })
  // The same request whether or not a default is written out.
  .overwrite(({ save_payment_method, ...body }) => ({
    ...body,
    ...(body.payment_method_id !== undefined && { initiator: body.initiator ?? "merchant" }),
    ...(save_payment_method && { save_payment_method }),
  }))
  .meta({ id: "CreatePaymentRequest" });
export type CreatePaymentBody = z.infer<typeof createPaymentBody>;

export const captureBody = z
  .strictObject({ amount: amount.optional().describe("Minor units. If omitted, the whole authorized amount.") })
  .meta({ id: "CaptureRequest" });
export type CaptureBody = z.infer<typeof captureBody>;

export const voidBody = z
  .strictObject({ reason: humanText(255).optional().describe("Why you void it; stored as `void_reason`.") })
  .meta({ id: "VoidRequest" });
export type VoidBody = z.infer<typeof voidBody>;

export const refundBody = z
  .strictObject({
    amount: amount.optional().describe("Minor units. If omitted, all that remains."),
    reason: refundReason.optional().describe("Why you refund."),
    comment: humanText(1000).optional().describe("A note for your own records."),
    acknowledge_dispute: z
      .boolean()
      .optional()
      .describe(
        "`true` refunds although the payment is disputed: if the bank decides for the cardholder, you pay twice.",
      ),
  })
  .meta({ id: "RefundRequest" });
export type RefundBody = z.infer<typeof refundBody>;

export const listPaymentsQuery = z
  .strictObject({
    ...pageParams,
    status: paymentStatus.optional().describe("Only this status."),
    customer_id: text(255).optional().describe("Only this customer (your own id)."),
    ...createdParams,
  })
  .refine(isPagedOnce, PAGED_TWICE);
export type ListPaymentsQuery = z.infer<typeof listPaymentsQuery>;
