import { z } from "zod";
import { ERROR_CODES } from "@/lib/contract/errors";
import { text } from "@/lib/contract/fields";
import type { ShownActor } from "@/lib/contract/payments/payment-detail";

/**
 * How much of a body the request log keeps. `redacted`: something secret or unknown was taken out; `cut`: it was too long, too;
 * `left_out`: nothing is kept.
 */
export const KEPT_BODIES = ["whole", "redacted", "cut", "left_out"] as const;
export type KeptBody = (typeof KEPT_BODIES)[number];

/** How many days requests are kept. */
export const REQUEST_LOG_DAYS = 30;

const inputDay = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, "Use a date such as 2026-11-20.");
const STATUSES = ["2xx", "4xx", "5xx", "errors"] as const;

/** The filters of the requests page, as they stand in its address. */
export const requestsQuery = z.strictObject({
  /** A class, every refusal and failure, or one status. */
  status: z
    .union([z.enum(STATUSES), z.string().regex(/^[2-5]\d\d$/, "Use 2xx, 4xx, 5xx, errors or a status.")])
    .optional(),
  method: z.enum(["GET", "POST", "PATCH", "DELETE"]).optional(),
  endpoint: text(60).optional(),
  code: z.enum(ERROR_CODES).optional(),
  /** The beginning of a path, the id of a request or of what it was about, or an idempotency key. */
  q: text(1_000).optional(),
  /** An API key, or a person. */
  caller: text(40).optional(),
  from: inputDay.optional(),
  /** With the whole of this day. */
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
  /** How many of the environment's requests right before it were not kept. */
  left_out: number;
  created_at: string;
};

export type RequestPage = {
  requests: RequestSummary[];
  has_more: boolean;
};

/** The errors with one code among the latest. `count` is exact up to the number of errors that are looked at. */
export type ErrorGroup = { code: string; count: number; first_at: string; last_at: string };

/** What the request log has lost, and the latest errors by their code. */
export type RequestFigures = { left_out: number; errors: ErrorGroup[]; errors_capped: boolean };

/** `text` is JSON; null with `kept: null` when there was no body, and when the person may not see it. */
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
  /** Whether the person may call this endpoint: only then the bodies are here. */
  bodies_shown: boolean;
  /** The command that sends it again, with placeholders for what is not kept. */
  curl: string;
  resend: Resend | null;
};

/** Of a request that moves money: what sends it again, or why that cannot be done from here. */
export type Resend = { reason: string } | { reason: null; id: string; idempotency_key: string; body: string | null };

/**
 * Sent by our own pages with a money request: answer from what the idempotency key has stored, and do nothing when it has
 * nothing. So no money moves, whatever the key's age.
 */
export const REPLAY_ONLY_HEADER = "X-Cardlane-Replay-Only";
