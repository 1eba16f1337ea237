import type { Database, Sql } from "@/db/client";
import type { ClockSetting } from "@/db/queries/clock";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import { readDatabaseTime } from "@/db/queries/service/settings";
import type { ActorRecord } from "@/db/schema/operations";
import { type Clock, followTime, type Timer } from "@/lib/clock";
import { AppError } from "@/lib/contract/errors";
import type { Mode } from "@/lib/contract/transactions/words";
import { idAt, newId } from "@/lib/ids";
import type { Logger } from "@/lib/log";
import type { Connector } from "@/lib/processor/connector";
import type { Registry } from "@/lib/processor/registry";
import type { Secret } from "@/lib/secret";
import type { WebhookSender } from "@/lib/webhooks/sender";

/**
 * Shared by the whole process, created once at start-up and passed to every verb: domain code has no globals.
 */
export type Service = {
  readonly db: Database;
  readonly processors: Registry;
  /** The kinds of processor that merchants can connect. */
  readonly connectors: readonly Connector[];
  readonly clock: Clock;
  readonly timer: Timer;
  readonly secret: Secret;
  /** Sends messages to merchants' endpoints. */
  readonly webhooks: WebhookSender;
  readonly log: Logger;
  /** Public address in links, without a trailing slash. */
  readonly baseUrl: string;
  /** Deadline of one processor call. */
  readonly processorTimeoutMs: number;
  /** Renders the response that is stored in the commit of its result. */
  readonly renderReply: RenderReply;
};

export type Environment = {
  readonly id: string;
  readonly mode: Mode;
  readonly merchantId: string;
  /** Read with the caller, so at most half a second old. */
  readonly clock: ClockSetting;
};

/** An idempotency key that a caller sent, and the request's fingerprint. */
export type IdempotencyRequest = {
  readonly key: string;
  /** Digest of method, path and body, stored to recognize the same request. */
  digest(): Promise<Buffer>;
  /** True if the stored digest is of this request. */
  isSame(digest: Buffer): Promise<boolean>;
  /** JSON text of the body as it may be stored, from `keepableBody`; null without a body. */
  readonly body: string | null;
};

/** One call: the service, the caller and the environment. First argument of every verb. */
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
  /** Throws unless the caller is still authorized. Call before replaying a stored response after a wait. */
  reauthorize(): Promise<void>;
};

/** A service and an environment, which has its own time. */
export type InEnvironment = {
  readonly service: Pick<Service, "clock">;
  readonly environment: Pick<Environment, "clock">;
};

/**
 * The environment's time, which its test clock sets. Keys, user sessions, limits, leases and logs use the
 * service's own time (docs/decisions/0009).
 */
export const environmentNow = ({ service, environment }: InEnvironment): Date =>
  clockTime(service.clock, environment.clock);

/** The time by a clock with this setting. */
export function clockTime(clock: Clock, setting: ClockSetting): Date {
  if (setting === null) return clock.now();
  return new Date(setting.frozenAt ?? clock.now().getTime() + setting.offsetMs);
}

/** A UUIDv7 with the environment's time, for a row with the same `created_at`. */
export const newEnvironmentId = (ctx: InEnvironment): string =>
  ctx.environment.clock === null ? newId() : idAt(environmentNow(ctx));

/** The same call for a verb that only reads: on read replicas, if there are any. */
export function onReplicas<C extends { readonly service: Service }>(call: C): C {
  const { db } = call.service;
  return db.reading === db ? call : { ...call, service: { ...call.service, db: db.reading } };
}

/** The result of a request that moves money. */
export type Result =
  /** `made`: the created or changed object, as the API shows it. */
  | { readonly kind: "made"; readonly made: object }
  | {
      /** `pending`: the outcome is unknown so far. */
      readonly kind: "done" | "pending";
      readonly snapshot: PaymentSnapshot;
      /** The created or changed transaction: the charge, or the refund. */
      readonly transactionId: string;
      readonly mode: Mode;
    }
  | { readonly kind: "refused"; readonly error: AppError };

/**
 * The request to respond to, in its own process or in the one that finishes its work. `endpoint`: its name.
 */
export type ReplyTarget = { readonly endpoint: string; readonly path: string; readonly requestId: string };

/** A request whose response is stored under its idempotency key, by whichever process finishes its work. */
export type KeyedRequest = ReplyTarget & { readonly key: string };

/** Injected, so that the domain does not depend on HTTP. */
export type RenderReply = (request: ReplyTarget, result: Result) => Reply;

/** Result of a verb that stores its own response: the exact bytes, so that a replay is identical. */
export type Reply = {
  readonly status: number;
  /** Empty if the body is `long`. */
  readonly body: string;
  readonly replayed: boolean;
  readonly long?: LongBody;
  /** The object in `body`, if available: for the request log. */
  readonly made?: object;
  /** Bytes stored in addition to the response, if they are many. */
  readonly keptBytes?: number;
};

/** A body of several megabytes, read only when memory is available for it. `bytes`: its approximate size. */
type LongBody = { readonly bytes: number; read(): Promise<string> };

/**
 * The error for unknown, malformed and foreign ids, which callers cannot tell apart. `id`: as the caller sent
 * it.
 */
export function resourceNotFound(kind: string, id: string, param: string | null = null): AppError {
  return new AppError("resource_not_found", `There is no ${kind} '${id}' in this environment.`, { param });
}

type DatabaseTime = {
  /**
   * Lower bound of the difference between this machine's clock and the database's; negative if they may
   * agree.
   */
  readonly skewMs: number;
  readonly readOnly: boolean;
};

/**
 * Reads the database's time, which this process uses from then on, so that times written by one process are
 * current for the others. The machine's own clock matters only for readiness.
 */
export async function followDatabaseTime(sql: Sql): Promise<DatabaseTime> {
  const [sentAt, sentAtMs] = [performance.now(), Date.now()];
  const { ms, readOnly } = await readDatabaseTime(sql);
  const [receivedAt, receivedAtMs] = [performance.now(), Date.now()];
  followTime(ms, { sentAt, receivedAt });
  // The database read its clock at some point between the two, so the skew is certain only outside of that
  // interval.
  return { skewMs: Math.max(sentAtMs - ms, ms - receivedAtMs), readOnly };
}
