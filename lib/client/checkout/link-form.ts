import {
  type CreatePaymentLinkBody,
  createPaymentLinkBody,
  PAYMENT_LINK_DESCRIPTION,
  type PaymentLink,
  type UpdatePaymentLinkBody,
  updatePaymentLinkBody,
} from "@/lib/contract/checkout/payment-link";
import { parseInput } from "@/lib/contract/input";
import { namedSentence } from "@/lib/contract/messages";
import { offsetAt } from "@/lib/contract/transactions/time-range";
import { amountProblem, minorTyped } from "@/lib/contract/typed-amount";

/** Value of a datetime-local input: "2026-12-01T18:30". */
type LocalTime = string;

/** Fields that stay editable. */
export type LinkEditValues = {
  name: string;
  description: string;
  expiry: "never" | "at";
  expires_at: LocalTime;
  asks_email: boolean;
};

/** Form values of a link: the amount as typed, and only one of amount and plan applies. */
export type LinkFormValues = LinkEditValues & {
  sell: "plan" | "amount";
  plan_id: string;
  amount: string;
  currency: string;
  use: "many" | "once";
};

export const linkFormValues = (currency: string, planId: string | null, hasPlans: boolean): LinkFormValues => ({
  sell: planId !== null || hasPlans ? "plan" : "amount",
  plan_id: planId ?? "",
  amount: "",
  currency,
  use: "many",
  name: "",
  description: "",
  expiry: "never",
  expires_at: "",
  asks_email: true,
});

export const linkEditValues = (link: PaymentLink, timeZone: string): LinkEditValues => ({
  name: link.name ?? "",
  description: link.description ?? "",
  expiry: link.expires_at === null ? "never" : "at",
  expires_at: link.expires_at === null ? "" : localTime(link.expires_at, timeZone),
  asks_email: link.asks_email,
});

/**
 * A local time in a zone as an instant; null if invalid. A time skipped by the zone becomes an hour later.
 */
export function instantIn(timeZone: string, local: LocalTime): string | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(local)) return null;
  const asUtc = Date.parse(`${local.slice(0, 16)}Z`);
  if (Number.isNaN(asUtc)) return null;
  const near = asUtc - offsetAt(timeZone, asUtc);
  return new Date(asUtc - offsetAt(timeZone, near)).toISOString();
}

export function localTime(instant: string, timeZone: string): LocalTime {
  const at = Date.parse(instant);
  return new Date(at + offsetAt(timeZone, at)).toISOString().slice(0, 16);
}

type Read<Body> = { body: Body | null; errors: Record<string, string> };

const orNull = (text: string) => text.trim() || null;

/** The request body, parsed by the API's own schema; null while invalid, with `errors` by field. */
export function readLink(values: LinkFormValues, timeZone: string, now: number): Read<CreatePaymentLinkBody> {
  const isPlan = values.sell === "plan";
  const { result: parsed } = parseInput(createPaymentLinkBody, {
    name: orNull(values.name),
    description: orNull(values.description),
    ...(isPlan
      ? // A missing plan is reported below and must not ask for an amount.
        { plan_id: values.plan_id || "none" }
      : { amount: minorTyped(values), currency: values.currency }),
    single_use: values.use === "once",
    asks_email: values.asks_email,
    expires_at: values.expiry === "at" ? instantIn(timeZone, values.expires_at) : null,
  });
  const errors = { ...messagesOf(parsed.error), ...expiryErrors(values, timeZone, now) };
  delete errors.amount;
  delete errors.plan_id;
  if (isPlan) delete errors.currency;
  const problem = isPlan ? null : amountProblem(values);
  if (problem) errors.amount = problem;
  if (isPlan && !values.plan_id) errors.plan_id = "Choose a plan.";
  if (!isPlan && !values.description.trim()) errors.description = "Describe what you sell.";
  return { body: parsed.success && Object.keys(errors).length === 0 ? parsed.data : null, errors };
}

/** The changes to a link; null while invalid. */
export function readLinkEdit(
  values: LinkEditValues,
  link: PaymentLink,
  timeZone: string,
  now: number,
): Read<UpdatePaymentLinkBody> {
  const unchanged = JSON.stringify(values) === JSON.stringify(linkEditValues(link, timeZone));
  const before = link.expires_at === null ? "" : localTime(link.expires_at, timeZone);
  const expiresAt = values.expires_at === before ? link.expires_at : instantIn(timeZone, values.expires_at);
  const { result: parsed } = parseInput(updatePaymentLinkBody, {
    name: orNull(values.name),
    description: orNull(values.description),
    expires_at: values.expiry === "at" ? expiresAt : null,
    asks_email: values.asks_email,
  });
  const errors = {
    ...messagesOf(parsed.error),
    ...(values.expiry === "at" && values.expires_at === before ? {} : expiryErrors(values, timeZone, now)),
  };
  if (link.plan_id === null && !values.description.trim()) errors.description = "Describe what you sell.";
  return { body: parsed.success && !unchanged && Object.keys(errors).length === 0 ? parsed.data : null, errors };
}

function expiryErrors(values: LinkEditValues, timeZone: string, now: number): Record<string, string> {
  if (values.expiry === "never") return {};
  const at = instantIn(timeZone, values.expires_at);
  if (at === null) return { expires_at: "Choose a date and a time." };
  return Date.parse(at) > now ? {} : { expires_at: "Choose a time in the future." };
}

const TOO_LONG: Readonly<Record<string, string>> = {
  description: `Use at most ${PAYMENT_LINK_DESCRIPTION} characters.`,
  name: "Use at most 100 characters.",
};

function messagesOf(error: { issues: { path: PropertyKey[]; code?: string; message: string }[] } | undefined) {
  const messages: Record<string, string> = {};
  for (const { path, code, message } of error?.issues ?? []) {
    const field = String(path[0] ?? "");
    messages[field] ??= code === "too_big" ? (TOO_LONG[field] ?? message) : namedSentence(field, message);
  }
  return messages;
}
