import type { KeyDetail } from "@/lib/contract/dashboard/idempotency-key";
import type { Problem } from "@/lib/contract/errors";
import type { Refusal } from "./money-attempt";

/** What the service knows of a request by its idempotency key. */
export type KeyFinding =
  /** It has not arrived, or was refused without being kept. */
  | { kind: "absent" }
  /** It is at work. `transactionId`: what it makes or changes, once that is written down. */
  | { kind: "open"; transactionId: string | null }
  | { kind: "done"; transactionId: string | null }
  | { kind: "refused"; refusal: Refusal };

/** `detail`: as the inspector shows the key, null when it knows none. */
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
