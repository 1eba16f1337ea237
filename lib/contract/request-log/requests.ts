import { z } from "zod";
import { ERROR_CODES } from "@/lib/contract/errors";
import { text } from "@/lib/contract/fields";
import type { ShownActor } from "@/lib/contract/payments/payment-detail";

/**
 * Stored extent of a body in the request log. `redacted`: secret or unknown parts were removed; `cut`: also
 * truncated; `left_out`: nothing is stored.
 */
export const KEPT_BODIES = ["whole", "redacted", "cut", "left_out"] as const;
export type KeptBody = (typeof KEPT_BODIES)[number];

/** Retention of requests, in days. */
export const REQUEST_LOG_DAYS = 30;

const inputDay = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, "Use a date such as 2026-11-20.");
const STATUSES = ["2xx", "4xx", "5xx", "errors"] as const;

/** Filters of the requests page, as in its address. */
export const requestsQuery = z.strictObject({
  /** A status class, all errors, or one status. */
  status: z
    .union([z.enum(STATUSES), z.string().regex(/^[2-5]\d\d$/, "Use 2xx, 4xx, 5xx, errors or a status.")])
    .optional(),
  method: z.enum(["GET", "POST", "PATCH", "DELETE"]).optional(),
  endpoint: text(60).optional(),
  code: z.enum(ERROR_CODES).optional(),
  /** The start of a path, the id of a request or of its object, or an idempotency key. */
  q: text(1_000).optional(),
  /** An API key or a user. */
  caller: text(40).optional(),
  from: inputDay.optional(),
  /** Includes the whole day. */
  to: inputDay.optional(),
  starting_after: text(40).optional(),
});
export type RequestsQuery = z.infer<typeof requestsQuery>;

export type RequestSummary = {
  /** `req_…`. */
  id: string;
  /** Name of the endpoint. */
  endpoint: string;
  method: string;
  path: string;
  status: number;
  code: string | null;
  detail: string | null;
  duration_ms: number;
  actor: ShownActor;
  replayed: boolean;
  /** Number of the environment's requests right before it that weren't stored. */
  left_out: number;
  created_at: string;
};

export type RequestPage = {
  requests: RequestSummary[];
  has_more: boolean;
};

/** Latest errors with one code. `count` is exact up to the number of errors examined. */
export type ErrorGroup = { code: string; count: number; first_at: string; last_at: string };

/** Number of lost requests, and the latest errors by code. */
export type RequestFigures = { left_out: number; errors: ErrorGroup[]; errors_capped: boolean };

/** `text` is JSON; null with `kept: null` if there was no body or the user may not see it. */
export type LoggedBody = { kept: KeptBody | null; text: string | null };

export type RequestDetail = RequestSummary & {
  query: string | null;
  param: string | null;
  idempotency_key: string | null;
  object_id: string | null;
  address: string | null;
  user_agent: string | null;
  request: LoggedBody;
  response: LoggedBody;
  /** True if the user may call this endpoint, which is required to see the bodies. */
  bodies_shown: boolean;
  /** A command that repeats it, with placeholders for removed values. */
  curl: string;
  resend: Resend | null;
};

/** For a money request: the data for a retry, or the reason why that isn't possible from here. */
export type Resend = { reason: string } | { reason: null; id: string; idempotency_key: string; body: string | null };

/**
 * Sent by our own pages with a money request: respond from what the idempotency key has stored, and otherwise
 * do nothing. So no money moves, however old the key is.
 */
export const REPLAY_ONLY_HEADER = "X-Cardlane-Replay-Only";
