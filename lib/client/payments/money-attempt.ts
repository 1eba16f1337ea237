import type { ErrorCode, FieldError, Problem } from "@/lib/contract/errors";
import type { KeyDetail } from "@/lib/contract/idempotency/idempotency-key";

/** Result of one request to move money, as seen by the browser. Delays in milliseconds. */
export type Attempt<Data> =
  | { kind: "answered"; status: number; data: Data }
  | ({ kind: "refused"; retryAfterMs: number | null } & Refusal)
  | { kind: "no_answer" };

/** A refusal of the API. */
export type Refusal = {
  status: number;
  code: string;
  detail: string;
  param: string | null;
  errors: readonly Pick<FieldError, "param" | "message">[];
  requestId: string | null;
  /** The refund needs a colleague's approval. */
  needsApproval?: true;
};

export type UnknownWhy = "no_answer" | "pending" | "server_error" | "unanswerable";

/** Effect of an attempt on the money: moved, certainly not moved under this key, or unknown. */
export type AttemptResult<Data> =
  | { kind: "done"; data: Data }
  /** `keySpent`: the refusal is stored under the key, so another attempt needs a new key. */
  | { kind: "refused"; refusal: Refusal; keySpent: boolean }
  /** `data`: the object as returned while pending; `refusal`: the reason why a retry got no result. */
  | { kind: "unknown"; why: UnknownWhy; data: Data | null; refusal: Refusal | null };

/** Refusals stored under a key and replayed; a test compares them with the contract. */
const KEPT_REFUSALS: ReadonlySet<string> = new Set<ErrorCode>([
  "payment_failed",
  "card_declined",
  "invalid_state",
  "amount_exceeds_capturable",
  "amount_exceeds_refundable",
  "currency_not_supported",
  "plan_not_active",
  "plan_not_recurring",
  "processor_not_configured",
  "processor_refused",
]);

export const isKeptRefusal = (code: string): boolean => KEPT_REFUSALS.has(code);

const DEFAULT_WAIT_MS = 1_000;
const MAX_WAIT_MS = 10_000;
/** Automatic repeats of a request with Retry-After before the user decides. */
const MAX_AUTOMATIC_REPEATS = 20;

type MoneyAttemptPorts<Data> = {
  send(): Promise<Attempt<Data>>;
  wait(ms: number): Promise<void>;
  /** Checked between two requests: true stops. */
  stopped?(): boolean;
};

/**
 * Sends until there is a definite result. `earlierUnknown`: the key was sent before with an unknown outcome,
 * so a refusal that isn't stored under the key says nothing about the money.
 */
export async function attemptMoney<Data>(
  ports: MoneyAttemptPorts<Data>,
  earlierUnknown: boolean,
): Promise<AttemptResult<Data>> {
  let unknownBefore = earlierUnknown;
  for (let times = 1; ; times++) {
    const attempt = await ports.send();
    const comesBack = times < MAX_AUTOMATIC_REPEATS && ports.stopped?.() !== true;
    if (attempt.kind === "refused" && isComeBack(attempt) && comesBack) {
      // "In progress" means that a request with this key is being processed, perhaps from another sender.
      if (attempt.code === "idempotency_request_in_progress") unknownBefore = true;
      await ports.wait(Math.min(attempt.retryAfterMs ?? DEFAULT_WAIT_MS, MAX_WAIT_MS));
      continue;
    }
    return resultOf(attempt, unknownBefore);
  }
}

const isComeBack = ({ code }: Refusal) => code === "idempotency_request_in_progress" || code === "rate_limited";

/** Conclusion from one attempt about the money. */
export function resultOf<Data>(attempt: Attempt<Data>, earlierUnknown: boolean): AttemptResult<Data> {
  switch (attempt.kind) {
    case "answered":
      return attempt.status === 202
        ? { kind: "unknown", why: "pending", data: attempt.data, refusal: null }
        : { kind: "done", data: attempt.data };
    case "no_answer":
      return { kind: "unknown", why: "no_answer", data: null, refusal: null };
    case "refused": {
      const { kind: _kind, retryAfterMs: _wait, ...refusal } = attempt;
      if (isKeptRefusal(refusal.code)) return { kind: "refused", refusal, keySpent: true };
      // The key belongs to a request with other parameters, so this one never was and never will be executed.
      if (refusal.code === "idempotency_key_reused") return { kind: "refused", refusal, keySpent: true };
      if (refusal.status >= 500) return { kind: "unknown", why: "server_error", data: null, refusal };
      if (refusal.code === "idempotency_request_in_progress" || earlierUnknown)
        return { kind: "unknown", why: "unanswerable", data: null, refusal };
      return { kind: "refused", refusal, keySpent: false };
    }
    default:
      return attempt satisfies never;
  }
}

/** State of a request by its idempotency key. */
export type KeyFinding =
  /** It hasn't arrived, or was refused without being stored. */
  | { kind: "absent" }
  /** In progress. `transactionId`: the transaction it creates or changes, once recorded. */
  | { kind: "open"; transactionId: string | null }
  | { kind: "done"; transactionId: string | null }
  | { kind: "refused"; refusal: Refusal };

/** `detail` is the inspector's view of the key; null if the key is unknown. */
export function findingOf(detail: Pick<KeyDetail, "status" | "effect" | "response"> | null): KeyFinding {
  if (detail === null) return { kind: "absent" };
  const transactionId = detail.effect?.transaction_id ?? null;
  if (detail.status === null) return { kind: "open", transactionId };
  if (detail.status < 300) return { kind: "done", transactionId };
  const { code, detail: words, param, errors, request_id } = detail.response as Problem;
  return {
    kind: "refused",
    refusal: { status: detail.status, code, detail: words, param, errors, requestId: request_id },
  };
}
