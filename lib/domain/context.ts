import type { Database, Sql } from "@/db/client";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import { readDatabaseTime } from "@/db/queries/service/settings";
import type { ActorRecord } from "@/db/schema/operations";
import { type Clock, followTime, type Timer } from "@/lib/clock";
import { AppError } from "@/lib/contract/errors";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Logger } from "@/lib/log";
import type { Connector } from "@/lib/processor/connector";
import type { Registry } from "@/lib/processor/registry";
import type { Secret } from "@/lib/secret";
import type { WebhookSender } from "@/lib/webhooks/sender";

/** What the whole process shares. Made once at start-up, passed everywhere: domain code has no globals. */
export type Service = {
  readonly db: Database;
  readonly processors: Registry;
  /** The kinds of processor that can be connected. */
  readonly connectors: readonly Connector[];
  readonly clock: Clock;
  readonly timer: Timer;
  readonly secret: Secret;
  /** How messages get to what merchants named as an address. */
  readonly webhooks: WebhookSender;
  readonly log: Logger;
  /** Public address in links, without a trailing slash. */
  readonly baseUrl: string;
  /** How long one processor call may take, in milliseconds. */
  readonly processorTimeoutMs: number;
  /** How answers that are stored in the commit that earns them are written. */
  readonly renderAnswer: RenderAnswer;
};

export type Environment = { readonly id: string; readonly mode: Mode; readonly merchantId: string };

/** An idempotency key that a caller sent, and what it was sent with. */
export type IdempotencyRequest = {
  readonly key: string;
  /** Of method, path and body; what is kept to know the same request again. */
  digest(): Promise<Buffer>;
  /** Whether this request is the one whose digest was kept. */
  isSame(digest: Buffer): Promise<boolean>;
  /** JSON text of the body as it may be kept, by `keepableBody`; null when there is none. */
  readonly body: string | null;
};

/** One call: the service, who calls, and in which environment. First argument of every verb. */
export type Context = {
  readonly service: Service;
  readonly environment: Environment;
  readonly actor: ActorRecord;
  readonly request: {
    /** UUID; shown as `req_…`. */
    readonly id: string;
    /** Name of the contract's endpoint. */
    readonly endpoint: string;
    /** The request's path, echoed in errors as `instance`. */
    readonly path: string;
  };
  readonly idempotency: IdempotencyRequest | null;
  /** Throws unless the caller may still do this: checked again before a stored answer is replayed after a wait. */
  reauthorize(): Promise<void>;
};

/** What a request came to. */
export type Result =
  /** `made`: the object that was made or changed, as it is shown. */
  | { readonly kind: "made"; readonly made: object }
  | {
      /** `pending`: the outcome is not known yet. */
      readonly kind: "done" | "pending";
      readonly snapshot: PaymentSnapshot;
      /** The transaction that was made or changed: the charge, or the refund. */
      readonly transactionId: string;
      readonly mode: Mode;
    }
  | { readonly kind: "refused"; readonly error: AppError };

/** The request that is answered, by itself or by the process that finishes its work. `endpoint`: its name. */
export type AnswerTarget = { readonly endpoint: string; readonly path: string; readonly requestId: string };

/** The request whose response is stored under its key, whichever process finishes its work. */
export type KeyedRequest = AnswerTarget & { readonly key: string };

/** A status and the exact bytes, as they are sent and stored. `made`: the object that they show, where it is at hand. */
export type Answer = { readonly status: number; readonly body: string; readonly made?: object };

/** Passed in, so that the domain does not know how results are sent. */
export type RenderAnswer = (request: AnswerTarget, result: Result) => Answer;

/** What a verb answers when it stores its own answer: the exact bytes, so that a replay is the same to the byte. */
export type Reply = {
  readonly status: number;
  /** Empty where it is `long`. */
  readonly body: string;
  readonly replayed: boolean;
  readonly long?: LongBody;
  /** What `body` shows, where it is at hand: for the request log. */
  readonly made?: object;
  /** Bytes that are kept beside the answer, where they are many. */
  readonly keptBytes?: number;
};

/** A body of megabytes, which is read when there is room for it. `bytes`: about how long it is. */
type LongBody = { readonly bytes: number; read(): Promise<string> };

/** The one answer for unknown, malformed and foreign ids: what is not yours does not exist. `id` as the caller sent it. */
export function resourceNotFound(kind: string, id: string, param: string | null = null): AppError {
  return new AppError("resource_not_found", `There is no ${kind} '${id}' in this environment.`, { param });
}

type DatabaseTime = {
  /** How far this machine's own clock is surely apart from the database's, in milliseconds; negative while it may agree. */
  readonly skewMs: number;
  readonly readOnly: boolean;
};

/**
 * Reads the database's time, which this process uses from then on: of two processes none writes a moment that the
 * other takes for long past. The machine's own clock matters for readiness alone.
 */
export async function followDatabaseTime(sql: Sql): Promise<DatabaseTime> {
  const [sentAt, sentAtMs] = [performance.now(), Date.now()];
  const { ms, readOnly } = await readDatabaseTime(sql);
  const [receivedAt, receivedAtMs] = [performance.now(), Date.now()];
  followTime(ms, { sentAt, receivedAt });
  // The time was read between the two: the skew is certain only beyond both ends.
  return { skewMs: Math.max(sentAtMs - ms, ms - receivedAtMs), readOnly };
}
