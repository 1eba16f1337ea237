import { z } from "zod";
import { type CreateClientSessionBody, createClientSessionBody } from "@/lib/contract/checkout/client-session";
import { currencyDigits, isSupportedCurrency, MAX_AMOUNT, parseAmount } from "@/lib/contract/currencies";
import type { FieldError } from "@/lib/contract/errors";

/** A session as it stands in the form: the amount is what was typed, and only one of amount and plan counts. */
export type SessionFormValues = {
  sell: "amount" | "plan";
  plan_id: string;
  amount: string;
  currency: string;
  customer_name: string;
  customer_email: string;
  customer_id: string;
  capture_method: "automatic" | "manual";
  return_url: string;
  allowed_origins: { origin: string }[];
};

/** A field of the form, as the form library names it. */
type SessionField = Exclude<keyof SessionFormValues, "allowed_origins" | "sell"> | `allowed_origins.${number}.origin`;

export function sessionFormValues(currency: string, planId: string | null): SessionFormValues {
  return {
    sell: planId === null ? "amount" : "plan",
    plan_id: planId ?? "",
    amount: "",
    currency,
    customer_name: "",
    customer_email: "",
    customer_id: "",
    capture_method: "automatic",
    return_url: "",
    allowed_origins: [{ origin: "" }],
  };
}

const orNull = (text: string) => text.trim() || null;

/** What is typed as the API takes it: what is empty is left out. */
function bodyOf(values: SessionFormValues) {
  const price =
    values.sell === "plan"
      ? { plan_id: values.plan_id || null }
      : { amount: parseAmount(values.amount, values.currency), currency: values.currency };
  return {
    ...price,
    customer_name: orNull(values.customer_name),
    customer_email: orNull(values.customer_email),
    customer_id: orNull(values.customer_id),
    capture_method: values.capture_method,
    return_url: orNull(values.return_url),
    allowed_origins: originsTyped(values).map(({ origin }) => origin),
  };
}

/** The origins that are not empty, with where they stand in the form. */
const originsTyped = ({ allowed_origins }: SessionFormValues) =>
  allowed_origins.flatMap(({ origin }, index) => (origin.trim() ? [{ origin: origin.trim(), index }] : []));

/** The API's own schema for what is typed; its output is the body of the request. */
export const sessionFormSchema = z.custom<SessionFormValues>().transform((values, context): CreateClientSessionBody => {
  const refuse = (field: SessionField, message: string) =>
    context.addIssue({ code: "custom", path: field.split("."), message });
  const priceProblem = values.sell === "plan" ? null : amountProblem(values);
  if (priceProblem) refuse("amount", priceProblem);
  if (values.sell === "plan" && !values.plan_id) refuse("plan_id", "Choose a plan.");
  const parsed = createClientSessionBody.safeParse(bodyOf(values));
  const issues = parsed.success ? [] : parsed.error.issues;
  for (const issue of issues) {
    const field = fieldOf(issue.path.join("."), values);
    if (field !== null && field !== "amount" && field !== "plan_id") refuse(field, WRONG[field] ?? issue.message);
  }
  return parsed.success && priceProblem === null ? parsed.data : z.NEVER;
});

/** Why the typed amount is none; null when it is. */
function amountProblem({ amount, currency }: SessionFormValues): string | null {
  if (!isSupportedCurrency(currency)) return "Choose a currency.";
  if (amount.trim() === "") return "Enter the amount.";
  const minor = parseAmount(amount, currency);
  if (minor !== null && minor > 0) return null;
  const digits = currencyDigits(currency);
  if (digits === 0 && /\./.test(amount)) return `${currency} has no decimals.`;
  if (new RegExp(`^[\\d,]+\\.\\d{${digits + 1},}$`).test(amount.trim())) {
    return `Use at most ${digits} decimals in ${currency}.`;
  }
  if (/^[\d,]+(\.\d+)?$/.test(amount.trim()) && Number(amount.replaceAll(",", "")) * 10 ** digits > MAX_AMOUNT) {
    return "This is more than one payment can be.";
  }
  return "Enter an amount above zero with a point for decimals, such as 19.99.";
}

const WRONG: Partial<Record<SessionField, string>> = {
  customer_email: "This is not an e-mail address.",
  return_url: "Use a whole address that begins with https://.",
};

const FIELDS: readonly string[] = [
  ...["plan_id", "amount", "currency", "customer_name", "customer_email", "customer_id", "capture_method"],
  "return_url",
];

/** The field of the form that a parameter of the API stands in; null when the form has none. */
function fieldOf(param: string, values: SessionFormValues): SessionField | null {
  const nth = /^allowed_origins(?:\.(\d+))?$/.exec(param);
  if (nth) {
    const index = nth[1] === undefined ? 0 : (originsTyped(values)[Number(nth[1])]?.index ?? 0);
    return `allowed_origins.${index}.origin`;
  }
  return FIELDS.includes(param) ? (param as SessionField) : null;
}

/** The API's refusals, by field; the others are about the request as a whole. */
export function sessionFormErrors(errors: readonly Pick<FieldError, "param" | "message">[], values: SessionFormValues) {
  const placed = errors.map((error) => ({ ...error, field: fieldOf(error.param, values) }));
  return {
    fields: placed.flatMap(({ field, message }) => (field === null ? [] : [{ field, message }])),
    others: placed.filter(({ field }) => field === null),
  };
}

/** "shop.example/cart" → "https://shop.example": what people paste is an address; the browser compares origins. */
export function originTyped(text: string): string {
  const typed = text.trim();
  if (typed === "") return "";
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed)
    ? typed
    : `${/^(localhost|127\.|\[::1\])/.test(typed) ? "http" : "https"}://${typed}`;
  if (!URL.canParse(address)) return typed;
  const url = new URL(address);
  return /^https?:$/.test(url.protocol) ? url.origin : typed;
}

/** Minor units of what is typed; null while it is no amount. */
export function minorTyped(values: Pick<SessionFormValues, "amount" | "currency">): number | null {
  const minor = isSupportedCurrency(values.currency) ? parseAmount(values.amount, values.currency) : null;
  return minor !== null && minor > 0 ? minor : null;
}
