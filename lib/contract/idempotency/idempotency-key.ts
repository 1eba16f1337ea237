import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { text } from "@/lib/contract/fields";
import type { ShownActor } from "@/lib/contract/payments/payment-detail";

/** Current state of a key. `waiting`: sent to the processor, with an unknown outcome. */
export type KeyState = "running" | "waiting" | "done" | "expired";

export type KeySummary = {
  key: string;
  state: KeyState;
  method: string;
  path: string;
  /** Status of the stored response. */
  status: number | null;
  replay_count: number;
  reuse_count: number;
  created_at: string;
};

export type KeyPage = { keys: KeySummary[]; has_more: boolean };

/** An idempotency key in the inspector. Browser code imports only its types. */
export type KeyDetail = KeySummary & {
  /** Name of the endpoint. */
  endpoint: string;
  request_id: string;
  actor: ShownActor;
  /** True if the user may call the endpoint or read its object; otherwise `body` and `response` are null. */
  bodies_shown: boolean;
  /** The first request's body without card number and CVV; null if it had none, or none was kept. */
  body: unknown;
  /** The stored response; null if there is none, if it holds a secret, or if it is too long. */
  response: unknown;
  /** The response holds a secret that was shown once: it is stored encrypted, and not shown. */
  sealed: boolean;
  /** The response is too long to show. */
  too_long: boolean;
  completed_at: string | null;
  /** After this time the key counts as new. */
  expires_at: string;
  last_replayed_at: string | null;
  /** Response to the same request now, in plain words. */
  retry: string;
  /** The operation at the processor; null if the request was refused before, or moves no money. */
  effect: { kind: string; state: string; payment_id: string; transaction_id: string; attempts: number } | null;
  /** The last request that reused the key with other parameters. */
  reuse: {
    path: string;
    request_id: string;
    actor: ShownActor;
    at: string;
    /** Like `bodies_shown`, for this request. */
    body_shown: boolean;
    body: unknown;
    /** Bodies are compared only if both may be shown. */
    differences: Difference[];
  } | null;
};

/** A member that differs; a missing side is undefined, and absent in JSON. */
export type Difference = { member: string; first?: unknown; other?: unknown };

/** An idempotency key for the inspector, which polls while there is no response. */
export const getIdempotencyKey = dashboardEndpoint({
  name: "getIdempotencyKey",
  method: "GET",
  path: "/api/dashboard/{mode}/idempotency-key",
  permission: "payment.read",
  query: z.strictObject({ key: text(255) }),
  status: 200,
  response: z.custom<KeyDetail>(),
});
