import { z } from "zod";
import { findCardNumber, HOLDS_OWN_CARD, holdsCardNumberSentence, holdsNumber } from "./card-numbers";
import { MAX_AMOUNT } from "./currencies";
import { idInput } from "./ids";
import { amountSentence } from "./messages";

/** PostgreSQL cannot hold U+0000, and its jsonb cannot hold half a surrogate pair. */
export const isStorable = (value: string): boolean => !value.includes("\u0000") && value.isWellFormed();
export const NOT_STORABLE = "Must be valid text without NUL characters.";

/** Text from a caller. Text that the database can't store gets a clear 400 here. */
export const text = (max: number) => z.string().min(1).max(max).refine(isStorable, NOT_STORABLE);

export function refuseCardNumber(value: string, context: z.RefinementCtx): void {
  const last4 = findCardNumber(value);
  if (last4) context.addIssue({ code: "custom", message: holdsCardNumberSentence(last4) });
}

/**
 * Free text: names, addresses, notes, reasons. Refused if it holds a card number. Not for ids, keys and
 * metadata.
 */
export const humanText = (max: number) => text(max).superRefine(refuseCardNumber);

/** Twelve digits of any script with only signs and spaces between them. Linear, because gaps are bounded. */
const TWELVE_DIGITS = /\p{Nd}(?:[^\p{L}\p{Nd}]{0,20}\p{Nd}){11}/u;

/** Stored text beside a card's number, which must not hold a mistyped number, valid or not. */
export const textBesideCard = (max: number) =>
  humanText(max).refine(
    (value) => !TWELVE_DIGITS.test(value),
    "This looks like a card number; it belongs in `number` only.",
  );

/** Adds an issue for each member of a body, at any depth, that holds the body's own card number. */
export function refuseOwnCard(body: { card?: { number: string } | undefined }, context: z.RefinementCtx): void {
  if (body.card === undefined) return;
  const { card, ...others } = body;
  const { number, ...besideNumber } = card;
  const path: string[] = [];
  const look = (value: unknown): void => {
    if (typeof value === "string" || typeof value === "number") {
      // JSON numbers are precise to about sixteen digits: a longer number loses its last ones but keeps most
      // of the card's.
      if (value === Number(number) || holdsNumber(String(value), number))
        context.addIssue({ code: "custom", path: [...path], message: HOLDS_OWN_CARD });
      return;
    }
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      // The name is the caller's text as well, so it must not be repeated in the path.
      if (holdsNumber(name, number)) {
        context.addIssue({ code: "custom", path: [...path], message: HOLDS_OWN_CARD });
        continue;
      }
      path.push(name);
      look(member);
      path.pop();
    }
  };
  look({ ...others, card: besideNumber });
}

const FIRST_TIME = Date.parse("0001-01-01T00:00:00Z");
export const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");
/** True for UTC years 1 to 9999: PostgreSQL doesn't parse JavaScript's format of others. */
const isStorableTime = (date: Date): boolean => date.getTime() >= FIRST_TIME && date.getTime() <= LAST_TIME;

const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+ -]\d{2}:?\d{2})$/;

function parseInstant(value: string, endOfDay: boolean): Date | null {
  const iso = DATE_ONLY.test(value)
    ? `${value}T${endOfDay ? "23:59:59.999" : "00:00:00.000"}Z`
    : DATE_TIME.test(value)
      ? // An unescaped plus sign in a query string arrives as a space.
        value
          .replace(/ (\d{2}:?\d{2})$/, "+$1")
          .replace(/^(\S{10}) /, "$1T")
          .replace(/([+-]\d{2})(\d{2})$/, "$1:$2")
      : null;
  if (iso === null) return null;
  const date = new Date(iso);
  // Date accepts 2026-02-30 by rolling over; a caller's typo must not become another day.
  const days = new Date(Date.UTC(Number(value.slice(0, 4)), Number(value.slice(5, 7)), 0)).getUTCDate();
  return isStorableTime(date) && Number(value.slice(8, 10)) <= days ? date : null;
}

const instantInput = (endOfDay: boolean) =>
  z
    .string()
    .max(40)
    .refine(
      (value) => parseInstant(value, endOfDay) !== null,
      "Use an ISO 8601 date or date-time, such as 2026-11-20T09:30:00Z.",
    )
    .meta({
      description: "ISO 8601 date-time with any offset, or a bare date (UTC).",
      examples: ["2026-11-20T09:30:00Z"],
    });

/** A time from a caller; a bare date means the start of that day, UTC. Read it with {@link instantOf}. */
export const instant = instantInput(false);
/** Like `instant`, but a bare date means the end of that day (`lte`). Read it with {@link endInstantOf}. */
export const endInstant = instantInput(true);
export const instantOf = (value: string): Date => parseInstant(value, false) as Date;
export const endInstantOf = (value: string): Date => parseInstant(value, true) as Date;

/** A time in a response: UTC, milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 }).meta({ examples: ["2026-11-20T09:30:00.000Z"] });

/** Country codes of ISO 3166-1 alpha-2. */
const COUNTRIES = new Set(
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW".split(
    " ",
  ),
);

/** A country in a body, in upper or lower case. The United Kingdom's code is GB. */
export const country = z
  .string()
  .overwrite((code) => (code.toUpperCase() === "UK" ? "GB" : code.toUpperCase()))
  .refine((code) => COUNTRIES.has(code), "Use a two-letter ISO 3166-1 country code, such as US.");

export const billingAddress = z
  .strictObject({
    line1: humanText(200).nullable().default(null),
    line2: humanText(200).nullable().default(null),
    city: humanText(100).nullable().default(null),
    state: humanText(100).nullable().default(null),
    postal_code: humanText(20).nullable().default(null),
    country: country.nullable().default(null).describe("ISO 3166-1 alpha-2 code."),
  })
  .meta({ id: "BillingAddress" });
export type BillingAddress = z.infer<typeof billingAddress>;

const MAX_METADATA_BYTES = 16_384;
const byteLength = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

export const metadata = z
  .record(
    text(40),
    z.union([text(500).or(z.literal("")), z.number(), z.boolean()], {
      error: "must be text (500 characters at most), a number, true or false; send objects as JSON text.",
    }),
  )
  .refine((value) => Object.keys(value).length <= 50, {
    error: ({ input }) => `must have at most 50 keys; this has ${Object.keys(input as object).length}.`,
  })
  .refine((value) => byteLength(value) <= MAX_METADATA_BYTES, {
    error: ({ input }) => `must have at most ${MAX_METADATA_BYTES} bytes as JSON; this has ${byteLength(input)}.`,
  })
  .meta({
    description:
      "Up to 50 of your own keys (40 characters), values of text (500 characters), number or boolean, 16 kB in all. Numbers that can't be stored exactly are refused: send them as text.",
  });
export type Metadata = z.infer<typeof metadata>;

const MAX_CUSTOMER_EMAIL = 500;
/** Any text: an unmailable address is no reason to refuse a payment. */
const email = humanText(MAX_CUSTOMER_EMAIL);

/**
 * Browsers drop some control characters and read `\\` as `/`: such text may lead elsewhere than it seems to.
 */
const UNSAFE_IN_URL = /[\p{Cc}\p{Zl}\p{Zp}\\]/u;

const isWebUrl = (value: string) => {
  if (!/^https?:\/\/[^/?#]/i.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === "" && password === "";
};

/** Return address for shoppers, kept verbatim. http is for local development. */
export const webUrl = text(2048)
  .refine((value) => !UNSAFE_IN_URL.test(value), "Remove line breaks, other control characters and backslashes.")
  .overwrite((value) => value.trim())
  .refine(isWebUrl, "Use an absolute https:// address without a user name, such as https://shop.example/thanks.");

/** Customer fields of a payment or session. */
export const customerFields = {
  customer_id: text(255).nullable().default(null).describe("Your own id for the customer."),
  customer_email: email
    .nullable()
    .default(null)
    .describe("The customer's e-mail address. Any text is stored; receipts go to what can be mailed."),
  customer_name: humanText(255).nullable().default(null).describe("The customer's name."),
  billing_address: billingAddress.nullable().default(null).describe("The card's billing address."),
};

/** An integer in a query string: digits only, never clamped. */
const queryInteger = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, "Use a whole number.")
    .transform(Number)
    .refine((value) => value >= min && value <= max, `Use a whole number from ${min} to ${max}.`);

export const MAX_OFFSET = 1_000_000_000;
export const queryLimit = queryInteger(1, 100).optional().meta({
  description: "Results per page, 1–100; default 20.",
  type: "integer",
  minimum: 1,
  maximum: 100,
  default: 20,
});
export const queryOffset = queryInteger(0, MAX_OFFSET)
  .optional()
  .meta({ description: "Results to skip; default 0.", type: "integer", minimum: 0, default: 0 });
/** Paging parameters of lists: by offset, or by cursor. */
export const pageParams = {
  limit: queryLimit,
  offset: queryOffset,
  starting_after: idInput.optional().describe("Continue after this id: pages through long lists at a constant cost."),
};
/** Lists refuse a cursor together with an offset: `.refine(isPagedOnce, PAGED_TWICE)`. */
export const isPagedOnce = (query: { starting_after?: string | undefined; offset?: number | undefined }): boolean =>
  query.starting_after === undefined || query.offset === undefined;
export const PAGED_TWICE = { path: ["starting_after"], message: "Use either starting_after or offset." };

export const createdParams = {
  created_after: instant.optional().describe("Created later than this ISO 8601 time (exclusive)."),
  created_before: instant.optional().describe("Created earlier than this ISO 8601 time (exclusive)."),
};
/** Lists refuse a reversed time range: `.refine(isInOrder, OUT_OF_ORDER)`. */
export const isInOrder = (query: {
  created_after?: string | undefined;
  created_before?: string | undefined;
}): boolean =>
  !query.created_after || !query.created_before || instantOf(query.created_after) <= instantOf(query.created_before);
export const OUT_OF_ORDER = {
  path: ["created_after"],
  message: "must not be later than created_before.",
};

export const queryAmount = z
  .string()
  .regex(/^\d{1,15}$/, { error: ({ input }) => amountSentence(Number(input), null) })
  .transform(Number)
  .refine((value) => value <= MAX_AMOUNT, { error: ({ input }) => amountSentence(input, null) })
  .optional()
  .meta({ type: "integer", minimum: 0 });

export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    object: z.literal("list").describe("Always `list`."),
    data: z.array(item).describe("The results of this page."),
    limit: z.int().describe("Requested results per page."),
    offset: z.int().describe("Requested results to skip."),
    has_more: z.boolean().describe("Whether there is another page."),
    total: z.int().describe("Number of results: exact up to 10,000, and at most two seconds old."),
    total_capped: z.boolean().describe("True when there are more than 10,000."),
  });
/** Max exact `total` of a list response; above it `total_capped` is true. */
export const TOTAL_CAP = 10_000;

export const amount = z.int().min(1).max(MAX_AMOUNT);
/** An amount in a response. */
export const amountOut = z.int().min(0);

/** Three capital letters. Supported currencies are a business rule: 422 `currency_not_supported`. */
export const currency = z.string().regex(/^[A-Z]{3}$/, "Use a three-letter ISO 4217 code in capitals, such as USD.");
