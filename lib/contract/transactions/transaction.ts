import { z } from "zod";
import { CURRENCIES } from "@/lib/contract/currencies";
import { DISPUTE_STATUSES } from "@/lib/contract/disputes/statuses";
import { declineCode } from "@/lib/contract/errors";
import {
  amountOut,
  billingAddress,
  currency,
  endInstant,
  endInstantOf,
  instant,
  instantOf,
  isPagedOnce,
  listOf,
  MAX_OFFSET,
  metadata,
  PAGED_TWICE,
  pageParams,
  queryAmount,
  text,
  timestamp,
} from "@/lib/contract/fields";
import { idInput, idOf } from "@/lib/contract/ids";
import { type FilterRow, problemOfText } from "@/lib/contract/lists/filters";
import { AVS_RESULTS, type AvsResult, CVV_RESULTS, type CvvResult } from "@/lib/contract/payments/words";
import { FILTER_DETAILS, type ListedName } from "./filter-details";
import { endsOf, FILTER_ROWS, type FILTERS, type FilterName, type Range, type SearchFilters } from "./filters";
import { ACTIONS, CARD_BRANDS, REFUND_REASONS, SORT_FIELDS, TRANSACTION_STATUSES, TRANSACTION_TYPES } from "./words";

const transactionStatus = z.enum(TRANSACTION_STATUSES).meta({ id: "TransactionStatus" });

const transactionType = z.enum(TRANSACTION_TYPES);

export const cardBrand = z.enum(CARD_BRANDS).meta({ id: "CardBrand" });

export const action = z.enum(ACTIONS);

export const refundReason = z.enum(REFUND_REASONS);

export const avsResult = z.enum(Object.keys(AVS_RESULTS) as [AvsResult, ...AvsResult[]]);

export const cvvResult = z.enum(Object.keys(CVV_RESULTS) as [CvvResult, ...CvvResult[]]);

export const disputeMark = z
  .object({
    id: idOf("dispute").describe("The dispute's id."),
    status: z
      .enum(DISPUTE_STATUSES)
      .describe("`LOST` and `ACCEPTED` rule out a refund; open ones ask for `acknowledge_dispute`."),
  })
  .nullable()
  .meta({ id: "DisputeMark" });

export const captureReversedAt = timestamp
  .nullable()
  .describe("When the processor reported that the capture failed there later: its money never came.");

/** A movement of money on a card: a charge, or the refund of one. Amounts in minor units. */
export const transaction = z
  .object({
    id: idOf("transaction").describe("Unique id of the transaction."),
    object: z.literal("transaction").describe("Always `transaction`."),
    payment_id: idOf("payment").describe("The payment it belongs to."),
    type: transactionType.describe("`CHARGE` takes money, `REFUND` returns it."),
    status: transactionStatus.describe("Its current status."),
    amount: amountOut.describe("Amount in minor units; positive for refunds too."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    amount_captured: amountOut.describe("Captured so far, in minor units."),
    amount_refunded: amountOut.describe("Refunded so far, in minor units."),
    amount_refundable: amountOut.describe("What can still be refunded, in minor units."),
    available_actions: z.array(action).describe("What you can do with it now."),
    customer_id: z.string().nullable().describe("Your own id for the customer."),
    customer_email: z.string().nullable().describe("The customer's e-mail address."),
    customer_name: z.string().nullable().describe("The customer's name."),
    billing_address: billingAddress.nullable().describe("The card's billing address."),
    card_brand: cardBrand.nullable().describe("Card brand."),
    card_last4: z.string().nullable().describe("Last four digits of the card."),
    card_exp_month: z.int().nullable().describe("Month the card expires, 1–12."),
    card_exp_year: z.int().nullable().describe("Year the card expires, four digits."),
    card_bin: z.string().nullable().describe("First digits of the card, which identify the issuer."),
    avs_result: avsResult.nullable().describe("Address check result: the card networks' code letter."),
    cvv_result: cvvResult.nullable().describe("Security code check result: the card networks' code letter."),
    fraud_score: z.number().min(0).max(100).nullable().describe("Risk from 0 (none) to 100."),
    decline_code: declineCode.nullable().describe("Why the card was declined."),
    subscription_id: idOf("subscription").nullable().describe("The subscription it pays for."),
    plan_id: idOf("plan").nullable().describe("The plan it pays for."),
    client_session_id: idOf("clientSession").nullable().describe("The client session it was paid in."),
    refund_of: idOf("transaction").nullable().describe("For a refund: the charge it refunds."),
    refund_reason: refundReason.nullable().describe("For a refund: the reason you gave."),
    void_reason: z.string().nullable().describe("Why it was voided; `expired` when the authorization expired."),
    settlement_batch_id: idOf("settlementBatch").nullable().describe("The settlement batch it is in."),
    description: z.string().nullable().describe("Your own note."),
    metadata: metadata.describe("Your own keys and values."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    capture_before: timestamp.nullable().describe("Deadline for the capture; afterwards the hold is released."),
    dispute: disputeMark.describe("For a charge: its dispute, of several the one that decides about refunds."),
    capture_reversed_at: captureReversedAt,
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
/** Fields for tables, without those that no column shows or that can be long. */
export type ListedTransaction = Omit<Transaction, "metadata" | "billing_address">;

export const transactionList = listOf(transaction).meta({ id: "TransactionList" });

const inOrder = (low: number | undefined, high: number | undefined) =>
  low === undefined || high === undefined || low <= high;

/** Enums with a name of their own in the reference. */
const NAMED_WORDS = new Map<readonly string[], z.ZodType<string, string>>([
  [TRANSACTION_STATUSES, transactionStatus],
  [CARD_BRANDS, cardBrand],
  [CURRENCIES, currency],
]);
const wordOf = (values: readonly string[]) => NAMED_WORDS.get(values) ?? z.enum(values);

/** Search terms. A text without any is refused, so that it never matches everything. */
export const words = (row: FilterRow & { kind: "text" }) =>
  text(row.max).superRefine((value, { addIssue }) => {
    const problem = problemOfText(row, value);
    if (problem !== null) addIssue({ code: "custom", message: problem });
  });

function textOf(name: FilterName, row: FilterRow & { kind: "text" }) {
  if (FILTER_DETAILS[name].of) return idInput;
  if (row.words) return words(row);
  return row.digits
    ? z.string().regex(new RegExp(`^\\d{${row.max}}$`), `Use exactly ${row.max} digits.`)
    : text(row.max);
}

/** A filter's parameters in GET /v1/transactions. */
function listParams([name, row]: (typeof FILTER_ROWS)[number]): [string, z.ZodType][] {
  if (FILTER_DETAILS[name].searchOnly) return [];
  const only = FILTER_DETAILS[name].described ?? `Only this ${FILTER_DETAILS[name].one}.`;
  if (row.kind === "words") return [[name, wordOf(row.values).optional().describe(only)]];
  if (row.kind === "text") return [[name, textOf(name, row).optional().describe(only)]];
  const [low, high] = endsOf(name, row);
  if (row.kind === "amount")
    return [
      [low, queryAmount.describe("Smallest amount in minor units (inclusive).")],
      [high, queryAmount.describe("Largest amount in minor units (inclusive).")],
    ];
  return [
    [low, instant.optional().describe(`${row.label} later than this ISO 8601 time (exclusive).`)],
    [high, instant.optional().describe(`${row.label} earlier than this ISO 8601 time (exclusive).`)],
  ];
}

type ListParams = {
  [Name in ListedName as ListParam<Name>]: z.ZodOptional<z.ZodType<ListValue<SearchFilters[Name]>, string>>;
};
type ListParam<Name extends FilterName> = (typeof FILTERS)[Name]["kind"] extends "amount"
  ? `min_${Name}` | `max_${Name}`
  : Name extends `${infer Moment}_at`
    ? `${Moment}_after` | `${Moment}_before`
    : Name;
type ListValue<Value> = Value extends readonly (infer One)[]
  ? One
  : Value extends Range<infer End>
    ? End
    : NonNullable<Value>;

/** Query string of GET /v1/transactions. */
export const listTransactionsQuery = z
  .strictObject({
    ...pageParams,
    ...(Object.fromEntries(FILTER_ROWS.flatMap(listParams)) as ListParams),
  })
  .superRefine((query: Record<string, string | number | undefined>, { addIssue }) => {
    for (const [name, row] of FILTER_ROWS) {
      if (row.kind === "words" || row.kind === "text") continue;
      const ends = endsOf(name, row);
      const [low, high] = ends.map((end) => {
        const value = query[end];
        return typeof value === "string" ? Number(instantOf(value)) : value;
      });
      const message = `must not be ${row.kind === "amount" ? "above" : "later than"} ${ends[1]}.`;
      if (!inOrder(low, high)) addIssue({ code: "custom", path: [ends[0]], message });
    }
  })
  .refine(isPagedOnce, PAGED_TWICE);
export type ListTransactionsQuery = z.infer<typeof listTransactionsQuery>;

const searchAmount = z.int().min(0).max(999_999_999_999);

/** A filter in the body of a search. */
function searchFilter([name, row]: (typeof FILTER_ROWS)[number]): [string, z.ZodType] {
  const { one, several, described = `Exactly this ${one}.` } = FILTER_DETAILS[name];
  switch (row.kind) {
    case "words":
      return [name, z.array(wordOf(row.values)).min(1).max(20).optional().describe(`Any of these ${several}.`)];
    case "text":
      return [name, textOf(name, row).optional().describe(described)];
    case "amount": {
      const range = z
        .strictObject({ gte: searchAmount.optional(), lte: searchAmount.optional() })
        .refine((a) => inOrder(a.gte, a.lte), { path: ["gte"], message: "must not be above lte." });
      return [name, range.optional().describe("Amount range in minor units, both ends inclusive.")];
    }
    case "times": {
      const range = z
        .strictObject({ gte: instant.optional(), lte: endInstant.optional() })
        .refine((t) => !t.gte || !t.lte || instantOf(t.gte) <= endInstantOf(t.lte), {
          path: ["gte"],
          message: "must not be later than lte.",
        });
      const note = "both ends inclusive; a bare date as `lte` means the end of that day.";
      return [name, range.optional().describe(`${row.label} in this range of ISO 8601 times, ${note}`)];
    }
    default:
      return row satisfies never;
  }
}

type SearchSchemas = { [Name in FilterName]: SchemaOf<NonNullable<SearchFilters[Name]>> };
type SchemaOf<Value> = z.ZodOptional<z.ZodType<Value, Value>>;

/** Body of POST /v1/transactions/search. */
export const searchTransactionsBody = z
  .strictObject({
    filters: z
      .strictObject(Object.fromEntries(FILTER_ROWS.map(searchFilter)) as SearchSchemas)
      .default({})
      .describe("Filters; all must match."),
    sort: z
      .strictObject({
        field: z.enum(SORT_FIELDS).default("created_at"),
        order: z.enum(["asc", "desc"]).default("desc"),
      })
      .default({ field: "created_at", order: "desc" })
      .describe(
        "Order of the results; ties are sorted by id. By amount, each currency is sorted by itself, in the order of the currencies' codes.",
      ),
    limit: z.int().min(1).max(100).default(20).describe("Results per page."),
    offset: z.int().min(0).max(MAX_OFFSET).default(0).describe("Results to skip."),
    starting_after: idInput.optional().describe("Continue after this id instead of skipping."),
  })
  .refine((body) => body.starting_after === undefined || body.offset === 0, PAGED_TWICE)
  .meta({ id: "SearchTransactionsRequest" });
export type SearchTransactionsBody = z.infer<typeof searchTransactionsBody>;
