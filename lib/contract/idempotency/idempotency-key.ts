import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { text } from "@/lib/contract/fields";
import type { ShownActor } from "@/lib/contract/payments/payment-detail";

/** What a key is at this moment. `waiting`: sent to the processor, whose answer is not known yet. */
export type KeyState = "running" | "waiting" | "done" | "expired";

export type KeySummary = {
  key: string;
  state: KeyState;
  method: string;
  path: string;
  /** Of the stored answer. */
  status: number | null;
  replay_count: number;
  reuse_count: number;
  created_at: string;
};

export type KeyPage = { keys: KeySummary[]; has_more: boolean };

/** One idempotency key, as the inspector shows it. Browser code takes its types alone. */
export type KeyDetail = KeySummary & {
  /** Name of the endpoint. */
  endpoint: string;
  request_id: string;
  actor: ShownActor;
  /** Whether the user may call the endpoint or read what it changes; otherwise `body` and `response` are null. */
  bodies_shown: boolean;
  /** The first request's body with no card number and no CVV; null when it had none, or none was kept. */
  body: unknown;
  /** The stored answer; null while there is none, when it holds a secret, and when it is too long. */
  response: unknown;
  /** The answer holds a secret that was shown once: it is stored encrypted, and not shown. */
  sealed: boolean;
  /** The answer is too long to show. */
  too_long: boolean;
  completed_at: string | null;
  /** From then on the key is new again. */
  expires_at: string;
  last_replayed_at: string | null;
  /** What the same request would get now, in plain words. */
  retry: string;
  /** What it began at the processor; null when it was refused before, or moves no money. */
  effect: { kind: string; state: string; payment_id: string; transaction_id: string; attempts: number } | null;
  /** The last request that used the key for something else. */
  reuse: {
    path: string;
    request_id: string;
    actor: ShownActor;
    at: string;
    /** The same as `bodies_shown`, for this request. */
    body_shown: boolean;
    body: unknown;
    /** Of the bodies only where both are shown. */
    differences: Difference[];
  } | null;
};

/** One member that differs; a side without it is undefined, or absent once it has been sent as JSON. */
export type Difference = { member: string; first?: unknown; other?: unknown };

/** One idempotency key, for the inspector, which looks again while the key has no answer. */
export const getIdempotencyKey = dashboardEndpoint({
  name: "getIdempotencyKey",
  method: "GET",
  path: "/api/dashboard/{mode}/idempotency-key",
  permission: "payment.read",
  query: z.strictObject({ key: text(255) }),
  status: 200,
  response: z.custom<KeyDetail>(),
});
