import { z } from "zod";
import { declineCode } from "@/lib/contract/errors";
import {
  amountOut,
  billingAddress,
  endInstant,
  endInstantOf,
  instant,
  instantOf,
  listOf,
  MAX_OFFSET,
  metadata,
  queryAmount,
  queryLimit,
  queryOffset,
  text,
  timestamp,
} from "@/lib/contract/fields";
import { idInput, idOf } from "@/lib/contract/ids";
import { AVS_RESULTS, type AvsResult, CVV_RESULTS, type CvvResult } from "@/lib/contract/payments/words";
import { ACTIONS, CARD_BRANDS, REFUND_REASONS, SORT_FIELDS, TRANSACTION_STATUSES, TRANSACTION_TYPES } from "./words";

const transactionStatus = z.enum(TRANSACTION_STATUSES).meta({ id: "TransactionStatus" });

const transactionType = z.enum(TRANSACTION_TYPES);

export const cardBrand = z.enum(CARD_BRANDS).meta({ id: "CardBrand" });

export const action = z.enum(ACTIONS);

export const refundReason = z.enum(REFUND_REASONS);

export const avsResult = z.enum(Object.keys(AVS_RESULTS) as [AvsResult, ...AvsResult[]]);

export const cvvResult = z.enum(Object.keys(CVV_RESULTS) as [CvvResult, ...CvvResult[]]);

/** A movement of money on a card: a charge, or the refund of one. Amounts in minor units. */
export const transaction = z
  .object({
    id: idOf("transaction").describe("Unique id of the transaction."),
    object: z.literal("transaction").describe("Always `transaction`."),
    payment_id: idOf("payment").describe("The payment it is part of."),
    type: transactionType.describe("`CHARGE` takes money, `REFUND` returns it."),
    status: transactionStatus.describe("Where it stands now."),
    amount: amountOut.describe("Amount in minor units; positive for refunds too."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    amount_captured: amountOut.describe("Captured so far, in minor units."),
    amount_refunded: amountOut.describe("Refunded so far, in minor units."),
    amount_refundable: amountOut.describe("What can still be refunded, in minor units."),
    available_actions: z.array(action).describe("What you can do with it now."),
    customer_id: z.string().nullable().describe("Your own id of the customer."),
    customer_email: z.string().nullable().describe("The customer's e-mail address."),
    customer_name: z.string().nullable().describe("The customer's name."),
    billing_address: billingAddress.nullable().describe("The card's billing address."),
    card_brand: cardBrand.nullable().describe("Network of the card."),
    card_last4: z.string().nullable().describe("Last four digits of the card."),
    card_exp_month: z.int().nullable().describe("Month the card expires, 1–12."),
    card_exp_year: z.int().nullable().describe("Year the card expires, four digits."),
    card_bin: z.string().nullable().describe("First digits of the card: its issuer."),
    avs_result: avsResult.nullable().describe("Address check: the card networks' letter."),
    cvv_result: cvvResult.nullable().describe("Security code check: the card networks' letter."),
    fraud_score: z.number().min(0).max(100).nullable().describe("Risk from 0 (none) to 100."),
    decline_code: declineCode.nullable().describe("Why the card was declined."),
    subscription_id: idOf("subscription").nullable().describe("The subscription it pays for."),
    plan_id: idOf("plan").nullable().describe("The plan it pays for."),
    client_session_id: idOf("clientSession").nullable().describe("The client session it was paid in."),
    refund_of: idOf("transaction").nullable().describe("For a refund: the charge that it returns."),
    refund_reason: refundReason.nullable().describe("For a refund: the reason you gave."),
    void_reason: z.string().nullable().describe("Why it was voided; `expired` when its time ran out."),
    settlement_batch_id: idOf("settlementBatch").nullable().describe("The settlement batch that it went out in."),
    description: z.string().nullable().describe("Your own note."),
    metadata: metadata.describe("Your own keys and values."),
    environment: z.enum(["sandbox", "live"]).describe("Which of your two environments it belongs to."),
    capture_before: timestamp.nullable().describe("Capture by then, or the hold is released."),
    authorized_at: timestamp.nullable().describe("When the card was authorized."),
    captured_at: timestamp.nullable().describe("When it was captured."),
    settled_at: timestamp.nullable().describe("When it was settled."),
    voided_at: timestamp.nullable().describe("When it was voided."),
    refunded_at: timestamp.nullable().describe("When it was last refunded."),
    created_at: timestamp.describe("When it was created."),
    updated_at: timestamp.describe("When it last changed."),
  })
  .meta({ id: "Transaction" });
export type Transaction = z.infer<typeof transaction>;
/** What tables show: without what no column has, and what can be long. */
export type ListedTransaction = Omit<Transaction, "metadata" | "billing_address">;

export const transactionList = listOf(transaction).meta({ id: "TransactionList" });

const inOrder = (low: number | undefined, high: number | undefined) =>
  low === undefined || high === undefined || low <= high;

/** Query string of GET /v1/transactions: the source's ten parameters and `starting_after`. */
export const listTransactionsQuery = z
  .strictObject({
    limit: queryLimit,
    offset: queryOffset,
    starting_after: idInput.optional().describe("Continue after this id: deep paging at a constant cost."),
    status: transactionStatus.optional().describe("Only this status."),
    customer_id: text(255).optional().describe("Only this customer of yours."),
    subscription_id: idInput.optional().describe("Only this subscription."),
    card_brand: cardBrand.optional().describe("Only this card brand."),
    min_amount: queryAmount.describe("Smallest amount in minor units (inclusive)."),
    max_amount: queryAmount.describe("Largest amount in minor units (inclusive)."),
    created_after: instant.optional().describe("Created later than this ISO 8601 time (exclusive)."),
    created_before: instant.optional().describe("Created earlier than this ISO 8601 time (exclusive)."),
  })
  .refine((q) => inOrder(q.min_amount, q.max_amount), {
    path: ["min_amount"],
    message: "min_amount must not be above max_amount.",
  })
  .refine((q) => !q.created_after || !q.created_before || instantOf(q.created_after) <= instantOf(q.created_before), {
    path: ["created_after"],
    message: "created_after must not be later than created_before.",
  })
  .refine((q) => q.starting_after === undefined || q.offset === undefined, {
    path: ["starting_after"],
    message: "Use either starting_after or offset.",
  });
export type ListTransactionsQuery = z.infer<typeof listTransactionsQuery>;

const searchAmount = z.int().min(0).max(999_999_999_999);

/** Body of POST /v1/transactions/search. */
export const searchTransactionsBody = z
  .strictObject({
    filters: z
      .strictObject({
        status: z.array(transactionStatus).min(1).max(20).optional().describe("Any of these statuses."),
        customer_id: text(255).optional().describe("Exactly this customer of yours."),
        customer_email: text(254).optional().describe("Exactly this address, in any case."),
        subscription_id: idInput.optional().describe("Exactly this subscription."),
        card_brand: z.array(cardBrand).min(1).max(20).optional().describe("Any of these brands."),
        card_last4: z
          .string()
          .regex(/^\d{4}$/, "Use exactly four digits.")
          .optional()
          .describe("Last four digits of the card."),
        amount: z
          .strictObject({ gte: searchAmount.optional(), lte: searchAmount.optional() })
          .refine((a) => inOrder(a.gte, a.lte), { path: ["gte"], message: "gte must not be above lte." })
          .optional()
          .describe("Amount range in minor units, both ends inclusive."),
        created_at: z
          .strictObject({ gte: instant.optional(), lte: endInstant.optional() })
          .refine((c) => !c.gte || !c.lte || instantOf(c.gte) <= endInstantOf(c.lte), {
            path: ["gte"],
            message: "gte must not be later than lte.",
          })
          .optional()
          .describe(
            "Creation time range in ISO 8601, both ends inclusive; a bare date as `lte` means the end of that day.",
          ),
      })
      .default({})
      .describe("What to look for; all of it must match."),
    sort: z
      .strictObject({
        field: z.enum(SORT_FIELDS).default("created_at"),
        order: z.enum(["asc", "desc"]).default("desc"),
      })
      .default({ field: "created_at", order: "desc" })
      .describe("Order of the results; ties are in order of id."),
    limit: z.int().min(1).max(100).default(20).describe("Results per page."),
    offset: z.int().min(0).max(MAX_OFFSET).default(0).describe("Results to skip."),
    starting_after: idInput.optional().describe("Continue after this id instead of skipping."),
  })
  .refine((body) => body.starting_after === undefined || body.offset === 0, {
    path: ["starting_after"],
    message: "Use either starting_after or offset.",
  })
  .meta({ id: "SearchTransactionsRequest" });
export type SearchTransactionsBody = z.infer<typeof searchTransactionsBody>;
