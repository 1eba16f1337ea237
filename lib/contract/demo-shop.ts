/** What the sample shop's server and its pages say to each other. */

/** One call of the shop's server to the API, as the shop shows it: without secrets. */
export type ApiCall = {
  /** The request id of the answer, or a made-up one when none came. */
  id: string;
  /** ISO 8601, when it was sent. */
  at: string;
  method: "GET" | "POST";
  path: string;
  idempotency_key: string | null;
  request_body: unknown;
  /** Null when no answer came. */
  status: number | null;
  request_id: string | null;
  duration_ms: number;
  response_body: unknown;
};

/** POST /demo/checkout/session. */
export type SessionAnswer =
  | { token: string; client_session_id: string; calls: ApiCall[] }
  | { problem: string; calls: ApiCall[] };

/** POST /demo/checkout/payment: where the shopper goes next, or why the card did not pay. */
export type PaymentAnswer = { next: string; calls: ApiCall[] } | { problem: string; calls: ApiCall[] };

const SECRETS: readonly [RegExp, string][] = [
  [/\b(cst|tok|sk_test|sk_live)_[A-Za-z0-9_-]+/g, "$1_•••"],
  // Whoever has the address can answer for the shopper.
  [/(\/challenge\/)[A-Za-z0-9_-]+/g, "$1•••"],
];

/** The same value without tokens and keys, however deep they stand. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === "string") return SECRETS.reduce((text, [secret, shown]) => text.replace(secret, shown), value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutSecrets(member)]));
}
