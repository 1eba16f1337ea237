import {
  CHECKOUT_FAILURES,
  CHECKOUT_STATUSES,
  type CheckoutAttemptAnswer,
  type CheckoutState,
} from "@/lib/contract/checkout";

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null;
const isText = (value: unknown): value is string => typeof value === "string";
const isOneOf = (all: readonly string[], value: unknown) => isText(value) && all.includes(value);
const isNullOr = (value: unknown, check: (value: Members) => boolean) =>
  value === null || (isObject(value) && check(value));

/** The state in an answer; null for anything else, such as a proxy's page that calls itself JSON. */
export function readCheckoutState(value: unknown): CheckoutState | null {
  if (!isObject(value)) return null;
  const right =
    isOneOf(CHECKOUT_STATUSES, value.status) &&
    isText(value.client_session_id) &&
    Number.isInteger(value.attempts_left) &&
    isText(value.expires_at) &&
    isNullOr(value.payment, ({ id, status }) => isText(id) && isText(status)) &&
    isNullOr(value.action, ({ url, expires_at }) => isText(url) && isText(expires_at)) &&
    (value.failure === null || isOneOf(CHECKOUT_FAILURES, value.failure)) &&
    (value.return_url === null || isText(value.return_url));
  return right ? (value as CheckoutState) : null;
}

export function readAttemptAnswer(value: unknown): CheckoutAttemptAnswer | null {
  if (!isObject(value)) return null;
  const state = readCheckoutState(value.state);
  const token = isNullOr(value.payment_token, ({ id, expires_at }) => isText(id) && isText(expires_at));
  return state && token ? (value as CheckoutAttemptAnswer) : null;
}
