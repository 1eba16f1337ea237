import {
  CHECKOUT_FAILURES,
  CHECKOUT_STATUSES,
  type CheckoutAttempt,
  type CheckoutAttemptResponse,
  type CheckoutState,
} from "@/lib/contract/checkout/checkout";
import type { FieldName } from "./checkout-view";

/** Result of one request to pay, as seen by the browser. Delays in milliseconds. */
export type AttemptOutcome =
  | { kind: "answered"; answer: CheckoutAttemptResponse }
  /** `fields`: those that the server rejected. */
  | { kind: "refused"; code: string; fields: readonly FieldName[] }
  /** The same attempt is running on the server. */
  | { kind: "busy"; retryAfterMs: number }
  | { kind: "limited"; retryAfterMs: number }
  /** The session isn't in the state that the form expects. */
  | { kind: "changed" }
  /** No complete response, so the outcome is unknown. */
  | { kind: "lost" };

export type CheckoutServer = {
  /** Throws `SessionGone` for a missing session, and any other Error without a response. */
  state(): Promise<CheckoutState>;
  /** Never throws. */
  attempt(body: CheckoutAttempt): Promise<AttemptOutcome>;
};

/** No session has this token. */
export class SessionGone extends Error {
  override readonly name = "SessionGone";
}

const ATTEMPT_DEADLINE_MS = 30_000;
const STATE_DEADLINE_MS = 10_000;
const DEFAULT_RETRY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 60_000;

type Options = {
  /** `/pay/{token}`. */
  base: string;
  fetch?: (path: string, init: RequestInit) => Promise<Response>;
};

/** Client of the server that served the form. It sends no cookies. */
export function createCheckoutServer({
  base,
  fetch = (path, init) => globalThis.fetch(path, init),
}: Options): CheckoutServer {
  const common = { credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer" } as const;
  return {
    async state() {
      return withDeadline(STATE_DEADLINE_MS, async (signal) => {
        const response = await fetch(`${base}/state`, { ...common, signal });
        if (response.status === 404) throw new SessionGone("there is no such session");
        const state = response.ok ? readCheckoutState(await response.json()) : null;
        if (!state) throw new Error(`no state: ${response.status}`);
        return state;
      });
    },
    async attempt(body) {
      try {
        return await withDeadline(ATTEMPT_DEADLINE_MS, async (signal) => {
          const init = {
            ...common,
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify(body),
            signal,
          };
          return outcomeOf(await fetch(`${base}/attempts`, init));
        });
      } catch {
        // After any failure on the way, the request may still have arrived.
        return { kind: "lost" };
      }
    },
  };
}

async function outcomeOf(response: Response): Promise<AttemptOutcome> {
  const body: unknown = await response.json();
  if (response.ok) {
    const answer = readAttemptResponse(body);
    return answer ? { kind: "answered", answer } : { kind: "lost" };
  }
  const problem = readProblem(body);
  if (!problem || response.status >= 500) return { kind: "lost" };
  if (response.status === 429) return { kind: "limited", retryAfterMs: retryAfterMs(response) };
  if (problem.code === "idempotency_request_in_progress") return { kind: "busy", retryAfterMs: retryAfterMs(response) };
  if (problem.code === "invalid_state" || response.status === 404) return { kind: "changed" };
  return { kind: "refused", ...problem };
}

/** Retry-After is in seconds; our server never sends a date. */
function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0
    ? Math.min(Math.max(seconds * 1000, 250), MAX_RETRY_DELAY_MS)
    : DEFAULT_RETRY_MS;
}

const FIELD_OF_PARAM: Record<string, FieldName> = {
  "card.number": "number",
  "card.exp_month": "expiry",
  "card.exp_year": "expiry",
  "card.cvv": "cvv",
  "card.name": "name",
  postal_code: "postal_code",
  email: "email",
  consent: "consent",
};

function readProblem(body: unknown): { code: string; fields: FieldName[] } | null {
  if (typeof body !== "object" || body === null) return null;
  const { code, param, errors } = body as Record<string, unknown>;
  if (typeof code !== "string") return null;
  const all: unknown[] = Array.isArray(errors) ? errors.map((error) => error?.param) : [];
  const fields = [param, ...all].map((name) => (typeof name === "string" ? FIELD_OF_PARAM[name] : undefined));
  return { code, fields: [...new Set(fields.filter((field) => field !== undefined))] };
}

/** AbortSignal.timeout is missing in some supported browsers. */
async function withDeadline<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null;
const isText = (value: unknown): value is string => typeof value === "string";
const isOneOf = (all: readonly string[], value: unknown) => isText(value) && all.includes(value);
const isNullOr = (value: unknown, check: (value: Members) => boolean) =>
  value === null || (isObject(value) && check(value));

/** The state in a response; null for anything else, such as a proxy's page labeled as JSON. */
function readCheckoutState(value: unknown): CheckoutState | null {
  if (!isObject(value)) return null;
  const right =
    isOneOf(CHECKOUT_STATUSES, value.status) &&
    isText(value.client_session_id) &&
    Number.isInteger(value.attempts_left) &&
    isText(value.expires_at) &&
    isNullOr(value.payment, ({ id, status }) => isText(id) && isText(status)) &&
    [value.payment_method_id, value.subscription_id].every((id) => id === null || isText(id)) &&
    typeof value.trial_refused === "boolean" &&
    isNullOr(value.action, ({ url, expires_at }) => isText(url) && isText(expires_at)) &&
    (value.failure === null || isOneOf(CHECKOUT_FAILURES, value.failure)) &&
    (value.return_url === null || isText(value.return_url));
  return right ? (value as CheckoutState) : null;
}

function readAttemptResponse(value: unknown): CheckoutAttemptResponse | null {
  if (!isObject(value)) return null;
  const state = readCheckoutState(value.state);
  const token = isNullOr(value.payment_token, ({ id, expires_at }) => isText(id) && isText(expires_at));
  return state && token ? (value as CheckoutAttemptResponse) : null;
}
