import type { z } from "zod";
import { currencyDigits, formatMinor, isSupportedCurrency, MAX_AMOUNT, majorToMinor } from "./currencies";

type Issue = z.core.$ZodRawIssue;

/** Prefixes a message with the parameter's name if it starts in lower case. */
export const namedSentence = (param: string, message: string): string =>
  /^[a-z]/.test(message) ? `${param || "The body"} ${message}` : message;

export const REQUIRED = "This parameter is required.";

/**
 * A zod error map with our own messages. Lower-case messages follow the parameter's name. `root` is the whole
 * input.
 */
export const explain =
  (root: unknown) =>
  (issue: Issue): string => {
    const name = (issue.path ?? []).join(".");
    const isAmount = AMOUNT.test(name) && !(issue.code === "too_small" && issue.minimum === 0);
    return isAmount ? amountSentence(issue.input, currencyOf(root)) : sentence(issue);
  };

/** Amounts in minor units. */
const AMOUNT = /(?:^|\.)amount(?:\.(?:gte|lte))?$/;

function currencyOf(root: unknown): string | null {
  const currency = typeof root === "object" && root !== null && "currency" in root ? root.currency : null;
  return typeof currency === "string" && isSupportedCurrency(currency) ? currency : null;
}

const GENERAL = "Send a whole number of minor units, such as 1999 for 19.99 USD.";
/** Twelve digits may be a card number, which no message repeats. */
const MAX_ECHOED_DIGITS = 11;

/** Suggests what to send instead of a refused amount. */
export function amountSentence(given: unknown, currency: string | null): string {
  const isQuoted = typeof given === "string";
  const number = isQuoted && /^\d{1,15}(?:\.\d{1,15})?$/.test(given) ? Number(given) : given;
  if (typeof number !== "number" || Number.isNaN(number)) return GENERAL;
  if (number > MAX_AMOUNT) {
    const maxText = currency === null ? "" : `, which is ${formatMinor(MAX_AMOUNT, currency)}`;
    return `Send at most ${MAX_AMOUNT}${maxText}.`;
  }
  if (number === 0) return "Send at least 1: amounts are in minor units.";
  if (String(number).replace(/\D/g, "").length > MAX_ECHOED_DIGITS) return GENERAL;
  if (Number.isInteger(number) && number > 0) return `Send ${number} as a number, without quotes.`;
  const right = Number.isInteger(number) ? `Send ${-number}` : inMinorUnits(Math.abs(number), currency);
  const rules = `amounts are in minor units${number < 0 ? " and never negative" : ""}${isQuoted ? ", without quotes" : ""}`;
  return right === null ? GENERAL : `${right}: ${rules}.`;
}

/** "Send 1999", with the matching currencies unless the currency is known. */
function inMinorUnits(major: number, currency: string | null): string | null {
  if (currency === null) {
    const decimals = String(major).split(".")[1]?.length === 3 ? 3 : 2;
    const minor = majorToMinor(major, decimals === 3 ? "KWD" : "USD");
    return minor === null ? null : `Send ${minor} for ${major} in a currency with ${decimals} decimals`;
  }
  const minor = majorToMinor(major, currency);
  if (minor !== null) return `Send ${minor}`;
  const digits = currencyDigits(currency);
  const near = Math.max(1, Math.round(major * 10 ** digits));
  return `Send ${near} for ${formatMinor(near, currency)}, as ${currency} has ${digits === 0 ? "no" : digits} decimals`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: "text, in quotes",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list in brackets, even of one value",
  object: "an object in braces",
  record: "an object in braces",
};
const UNIT: Readonly<Record<string, string>> = { string: "characters", array: "entries" };

function sentence(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type": {
      const isQuoted = typeof issue.input === "string" && ["number", "int", "boolean"].includes(issue.expected);
      return `must be ${KINDS[issue.expected] ?? "something else"}${isQuoted ? ", without quotes" : ""}.`;
    }
    case "too_small": {
      if (issue.input === "") return REQUIRED;
      const unit = UNIT[issue.origin];
      if (unit)
        return issue.minimum === 1 ? "must not be empty." : `must have at least ${issue.minimum} ${unit}${has(issue)}.`;
      return `must be ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}.`;
    }
    case "too_big": {
      const unit = UNIT[issue.origin];
      if (unit) return `must have at most ${issue.maximum} ${unit}${has(issue)}.`;
      // Every integer has this maximum beside its own, which is a second error.
      if (issue.maximum === Number.MAX_SAFE_INTEGER) return "is too large.";
      return `must be ${issue.inclusive ? "at most" : "less than"} ${issue.maximum}.`;
    }
    case "invalid_value":
      return oneOf(issue.values);
    case "invalid_key":
      return nameSentence(issue.issues);
    case "invalid_union":
      return unionSentence(issue.errors);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}.`;
    default:
      return "has a value that can't be used here.";
  }
}

/** "; this has 612": the length of a text or list that is too long or too short. */
const has = ({ input }: Issue) =>
  typeof input === "string" || Array.isArray(input) ? `; this has ${input.length}` : "";

const MAX_VALUES = 30;

function oneOf(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_VALUES).map(String).join(", ");
  const more = values.length > MAX_VALUES ? ` … (${values.length} in all)` : "";
  return values.length === 1 ? `must be ${shown}.` : `must be one of ${shown}${more}.`;
}

function nameSentence([issue]: readonly z.core.$ZodIssue[]): string {
  if (issue?.code === "too_big") return `must have a name of at most ${issue.maximum} characters.`;
  if (issue?.code === "too_small") return "must have a name that is not empty.";
  return issue?.message ?? "must have another name.";
}

/** Values of all choices, or the error of the first choice of the right kind. */
function unionSentence(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const issues = errors.flat();
  const values = issues.flatMap((issue) => (issue.code === "invalid_value" ? issue.values : []));
  if (values.length === issues.length) return oneOf(values);
  return issues.find(({ code }) => code !== "invalid_value")?.message ?? "has a value that can't be used here.";
}
