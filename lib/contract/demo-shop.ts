/** Types shared by the sample shop's server and its pages. */

/** An API call by the shop's server, shown without secrets. */
export type ApiCall = {
  /** The response's request id, or a made-up one without a response. */
  id: string;
  /** ISO 8601, when it was sent. */
  at: string;
  method: "GET" | "POST";
  path: string;
  idempotency_key: string | null;
  request_body: unknown;
  /** Null without a response. */
  status: number | null;
  request_id: string | null;
  duration_ms: number;
  response_body: unknown;
};

/** POST /demo/checkout/session. */
export type SessionResponse =
  | { token: string; client_session_id: string; calls: ApiCall[] }
  | { problem: string; calls: ApiCall[] };

/** POST /demo/checkout/payment: the shopper's next page, or the reason of the failure. */
export type PaymentResponse = { next: string; calls: ApiCall[] } | { problem: string; calls: ApiCall[] };

const SECRETS: readonly [RegExp, string][] = [
  [/\b(cst|tok|sk_test|sk_live)_[A-Za-z0-9_-]+/g, "$1_•••"],
  // The address alone authorizes a response to the challenge.
  [/(\/challenge\/)[A-Za-z0-9_-]+/g, "$1•••"],
];

/** The value without tokens and keys at any depth. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === "string") return SECRETS.reduce((text, [secret, shown]) => text.replace(secret, shown), value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutSecrets(member)]));
}
