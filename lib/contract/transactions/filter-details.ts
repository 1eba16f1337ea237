/**
 * Details of filters for the API reference, the search box's grammar and help, and the forms; not in a page's
 * first load.
 */
import type { IdKind } from "@/lib/contract/ids";
import type { FilterName } from "./filters";

type FilterDetails = {
  /** Singular and plural of its values in the reference. Times use their label. */
  one?: string;
  several?: string;
  /** Every transaction has one of its values, so selecting all of them filters nothing. */
  always?: true;
  /** The search box accepts its values without the operator. */
  plain?: true;
  /** Other spellings of values for the search box: in lower case, with underscores. */
  aliases?: Readonly<Record<string, readonly string[]>>;
  /** Description in the reference, if it isn't an exact match. */
  described?: string;
  /** Not available in GET /v1/transactions. */
  searchOnly?: true;
  /** Kind of id that it accepts. */
  of?: IdKind;
  /** Its control in a form. */
  control?: string;
  hint?: string;
  placeholder?: string;
  /** Examples for the search box, with their meanings. */
  help: readonly (readonly [example: string, meaning: string])[];
};

const WORDS_DESCRIBED =
  "Words to find, up to eight. Each must begin a word of the customer's name, e-mail or id, the description or a metadata value, or be an id, the card's last four digits or the amount (`19.90` or `19,90`). Case, accents, punctuation around a word and invisible characters do not matter. Apostrophes and hyphens may be left out (`obrien` finds O’Brien, `jeanluc` Jean-Luc), `ä` may be `a` or `ae`, `ö` and `ø` `o` or `oe`, `ü` `u` or `ue`, `å` `a` or `aa`. Chinese, Japanese, Korean and Thai text is found by any part of it, and hiragana and katakana are the same. Of long texts the first 4,000 characters in all are searched, and at most 200 words.";

const DETAILS = {
  q: {
    described: WORDS_DESCRIBED,
    control: "Words",
    hint: "Starts of words: name, e-mail, customer, description, metadata.",
    placeholder: "anna order 1001",
    help: [["q:gold", "a word of customer, description or metadata"]],
  },
  status: {
    one: "status",
    several: "statuses",
    always: true,
    plain: true,
    aliases: {
      authorised: ["AUTHORIZED"],
      uncaptured: ["AUTHORIZED"],
      canceled: ["VOIDED"],
      cancelled: ["VOIDED"],
    },
    help: [["status:declined,failed", "any of these statuses"]],
  },
  card_brand: {
    one: "card brand",
    several: "brands",
    plain: true,
    aliases: { american_express: ["amex"], mc: ["mastercard"], master_card: ["mastercard"] },
    help: [["brand:visa", "card brand"]],
  },
  amount: { help: [["amount:>50", "also >=, <, <=, 20..50, ~20, >5000jpy"]] },
  currency: { one: "currency", several: "currencies", help: [["currency:usd,eur", "any of these currencies"]] },
  created_at: {
    help: [
      ["created:last-week", "also today, last-30-days, this-month"],
      ["created:>=2026-11-01", "also 2026-11-01..2026-11-20"],
    ],
  },
  customer_id: {
    one: "customer id",
    control: "Customer id",
    hint: "Your own id, exactly.",
    help: [["customer:c_17", "your own customer id"]],
  },
  customer_email: {
    one: "address, in any case",
    searchOnly: true,
    control: "Customer e-mail",
    hint: "The whole address, in any case.",
    help: [["email:anna@example.com", "e-mail, in any case"]],
  },
  subscription_id: {
    one: "subscription",
    of: "subscription",
    control: "Subscription id",
    placeholder: "sub_…",
    help: [["subscription:sub_…", "subscription"]],
  },
  card_last4: {
    one: "end of the card’s number, four digits",
    searchOnly: true,
    control: "Last four digits of the card",
    help: [["last4:4242", "last four digits"]],
  },
  plan_id: { one: "plan", of: "plan", control: "Plan id", placeholder: "plan_…", help: [["plan:plan_…", "plan"]] },
  type: {
    one: "type",
    several: "types",
    always: true,
    plain: true,
    aliases: { refunds: ["REFUND"] },
    help: [["type:refund", "charges or refunds"]],
  },
  decline_code: {
    one: "decline code",
    several: "decline codes",
    plain: true,
    help: [["decline:insufficient_funds", "why a card was declined"]],
  },
  captured_at: { help: [["captured:last-month", "when it was captured"]] },
  attention: {
    one: "reason for attention: `unknown_outcome` has no final response from the processor, `failed_refund` is a refund that failed in the last 30 days, `capture_reversed` is a capture that the processor reversed in the last 30 days, `expiring` is an authorization that expires within 24 hours",
    several: "reasons for attention",
    aliases: {
      unknown: ["unknown_outcome"],
      failed_refunds: ["failed_refund"],
      reversed: ["capture_reversed"],
      expires: ["expiring"],
    },
    help: [["attention:expiring", "also unknown_outcome, failed_refund, capture_reversed"]],
  },
} as const satisfies Record<FilterName, FilterDetails>;

export const FILTER_DETAILS: Record<FilterName, FilterDetails> = DETAILS;
/** The filters of GET /v1/transactions. */
export type ListedName = {
  [N in FilterName]: (typeof DETAILS)[N] extends { searchOnly: true } ? never : N;
}[FilterName];
