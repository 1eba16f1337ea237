import { z } from "zod";
import { givenCode } from "@/lib/contract/accounts/fields";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { humanText, text } from "@/lib/contract/fields";
import type { KeyDetail } from "@/lib/contract/idempotency/idempotency-key";
import type { Mode } from "@/lib/contract/transactions/words";

/** An operation at the processor with an unknown outcome. */
export type UnknownOutcome = {
  /** UUID, also the processor's reference. */
  readonly operationId: string;
  readonly kind: "authorize" | "continue" | "capture" | "void" | "refund";
  readonly paymentId: string;
  readonly merchant: { readonly id: string; readonly name: string };
  readonly mode: Mode;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly attempts: number;
  /** The processor's latest response. */
  readonly lastAnswer: string | null;
  /** Null if no automatic check follows, so staff must act. */
  readonly nextAttemptAt: string | null;
  /** A status check is in progress. */
  readonly held: boolean;
  readonly createdAt: string;
};

export type UnknownOutcomeList = {
  readonly outcomes: readonly UnknownOutcome[];
  readonly total: number;
  /** Number of them that need staff. */
  readonly waiting: number;
};

/** Max operations shown in the queue. */
export const UNKNOWN_LIMIT = 100;

const STATUS_CHECK_RESULTS = ["settled", "still_unknown", "busy", "already_known"] as const;
export type StatusCheckResult = (typeof STATUS_CHECK_RESULTS)[number];

/** Reason for a staff action; it is recorded, and visible to the merchant. */
export const staffReason = z
  .string()
  .trim()
  .pipe(humanText(500))
  .describe("Why; it is kept, and the merchant sees it.");

const body = z.strictObject({ reason: staffReason });
const merchantState = z.object({ id: z.string(), suspended: z.boolean() });

export const suspendMerchant = dashboardEndpoint({
  name: "suspendMerchant",
  method: "POST",
  path: "/api/support/merchants/{id}/suspend",
  permission: null,
  reauthentication: "always",
  body,
  status: 200,
  response: merchantState,
});

export const reinstateMerchant = dashboardEndpoint({
  name: "reinstateMerchant",
  method: "POST",
  path: "/api/support/merchants/{id}/reinstate",
  permission: null,
  reauthentication: "always",
  body,
  status: 200,
  response: merchantState,
});

export const unlockMember = dashboardEndpoint({
  name: "unlockMember",
  method: "POST",
  path: "/api/support/merchants/{id}/members/{user}/unlock",
  permission: null,
  reauthentication: "always",
  body,
  status: 200,
  response: z.object({ id: z.string() }),
});

/** Checks the status of an operation with an unknown outcome now. */
export const checkStatus = dashboardEndpoint({
  name: "checkStatus",
  method: "POST",
  path: "/api/support/operations/{id}/check-status",
  permission: null,
  reauthentication: "always",
  status: 200,
  response: z.object({
    result: z.enum(STATUS_CHECK_RESULTS),
    /** Current state of the operation. */
    state: z.string(),
    /** The processor's latest response. */
    last_answer: z.string().nullable(),
  }),
});

/** State of a request sent under a key. */
export const getMerchantKey = dashboardEndpoint({
  name: "getMerchantKey",
  method: "GET",
  path: "/api/support/environments/{id}/idempotency-key",
  permission: null,
  query: z.strictObject({ key: text(255) }),
  status: 200,
  response: z.custom<KeyDetail>(),
});

/** Re-authentication required by the other endpoints here. Staff always have a second factor. */
export const reauthenticateStaff = dashboardEndpoint({
  name: "reauthenticateStaff",
  costly: true,
  method: "POST",
  path: "/api/support/proof",
  permission: null,
  body: z.strictObject({ code: givenCode }),
  status: 200,
  response: z.object({ minutes: z.int() }),
});
