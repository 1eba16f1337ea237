import { type CreateClientSessionBody, createClientSessionBody } from "@/lib/contract/checkout/client-session";
import type { FieldError } from "@/lib/contract/errors";
import { parseInput } from "@/lib/contract/input";
import { namedSentence } from "@/lib/contract/messages";
import { amountProblem, minorTyped } from "@/lib/contract/typed-amount";

/** Form values of a session: the amount as typed, and only one of amount and plan applies. */
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
  allowed_origins: string[];
};

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
    allowed_origins: [""],
  };
}

const orNull = (text: string) => text.trim() || null;

/** The typed values in the API's format, without empty ones. */
function bodyOf(values: SessionFormValues) {
  const price =
    values.sell === "plan"
      ? { plan_id: values.plan_id || null }
      : { amount: minorTyped(values), currency: values.currency };
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

/** Non-empty origins with their positions in the form. */
const originsTyped = ({ allowed_origins }: SessionFormValues) =>
  allowed_origins.flatMap((origin, index) => (origin.trim() ? [{ origin: origin.trim(), index }] : []));

/** The request body, parsed by the API's own schema; null while invalid, with `errors` by field. */
export function readSession(values: SessionFormValues): {
  body: CreateClientSessionBody | null;
  errors: Record<string, string>;
} {
  const errors: Record<string, string> = {};
  const { result: parsed } = parseInput(createClientSessionBody, bodyOf(values));
  for (const { path, message } of parsed.error?.issues ?? []) {
    const field = fieldOf(path.join("."), values);
    if (field !== null && field !== "amount" && field !== "plan_id")
      errors[field] = WRONG[field] ?? namedSentence(field, message);
  }
  const problem = values.sell === "plan" ? null : amountProblem(values);
  if (problem) errors.amount = problem;
  if (values.sell === "plan" && !values.plan_id) errors.plan_id = "Choose a plan.";
  return { body: parsed.success && Object.keys(errors).length === 0 ? parsed.data : null, errors };
}

const WRONG: Readonly<Record<string, string>> = {
  return_url: "Use a full URL that begins with https://.",
};

const FIELDS: readonly string[] = [
  ...["plan_id", "amount", "currency", "customer_name", "customer_email", "customer_id", "capture_method"],
  "return_url",
];

/** The form field for an API parameter; null if the form has none. */
function fieldOf(param: string, values: SessionFormValues): string | null {
  const nth = /^allowed_origins(?:\.(\d+))?$/.exec(param);
  if (nth) {
    const index = nth[1] === undefined ? 0 : (originsTyped(values)[Number(nth[1])]?.index ?? 0);
    return `allowed_origins.${index}`;
  }
  return FIELDS.includes(param) ? param : null;
}

/** The field for a refusal of the API. */
export function placeSessionRefusal(
  { param, message }: Pick<FieldError, "param" | "message">,
  values: SessionFormValues,
): readonly [string, string] | null {
  const field = fieldOf(param, values);
  return field === null ? null : [field, message];
}

/** "shop.example/cart" → "https://shop.example": users paste addresses, but browsers compare origins. */
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
