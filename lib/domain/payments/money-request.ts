import {
  claimWithRefusal,
  findKey,
  type KeyClaim,
  LONG_ANSWER,
  releaseKey,
  type StoredKey,
  storeRefusal,
} from "@/db/queries/idempotency/claims";
import { takeOperation } from "@/db/queries/payments/operations";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import { PENDING_STATUS } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { newId } from "@/lib/ids";
import type { Context, IdempotencyRequest, Reply, Result, Service } from "../context";
import { noteReplay, noteReuse } from "../idempotency/note-key-use";
import { type Executed, type Execution, execute, type Order } from "./execute";
import { getPaymentOf } from "./finish-operation";
import { type KeyedRequest, leaseOf, type OperationSubject } from "./operation";
import { lengthOf, longReply } from "./read-payments";
import { type HeldCard, resolveOperation } from "./recover-operations";

/** How long a duplicate waits for the first request before it gets 409. */
const WAIT_MS = 2_000;

/** The key of a money request. The pipeline refuses requests without one. */
export function keyOf(ctx: Context): IdempotencyRequest {
  if (!ctx.idempotency) throw new Error(`${ctx.request.endpoint} moves money and needs an idempotency key`);
  return ctx.idempotency;
}

const sqlOf = ({ service, environment }: Context) => service.db.within(environment.id).sql;

function requestOf(ctx: Context): KeyedRequest {
  const { endpoint, path, id: requestId } = ctx.request;
  return { key: keyOf(ctx).key, endpoint, path, requestId };
}

async function claimOf(ctx: Context, operationId: string): Promise<KeyClaim> {
  const { digest, body } = keyOf(ctx);
  return {
    digest: await digest(),
    body,
    actor: ctx.actor,
    operationId,
    leaseMs: leaseOf(ctx.service.processorTimeoutMs).heldForMs,
    ...requestOf(ctx),
  };
}

/** What a request does under its key, and its refusal when that is not possible. */
export type MoneyRequest = {
  /** A new order for each try. `id`: UUID. */
  readonly order: (id: string, claim: KeyClaim) => Order;
  /**
   * Why the guard refused, for the payment as it was right after. Without a snapshot there is no such payment, or its token or
   * session is used up. Null: the guard would pass now.
   */
  readonly refusal: (snapshot: PaymentSnapshot | null) => AppError | null | Promise<AppError | null>;
  /** The card with which this request sends an authorization that an earlier one with its key did not. */
  readonly token?: HeldCard | null;
};

/** A request starts over when its key has become free, or the payment changed under a refusal. */
const TRIES = 10;

/**
 * Moves money under the request's idempotency key and answers it. Throws AppError for what is not stored (404, 409 reused, in
 * progress or pending); refusals that are stored are answered like results.
 */
export async function executeRequest(ctx: Context, request: MoneyRequest): Promise<Reply> {
  const known = await replayKnown(ctx);
  if (known) return known;
  for (let tries = 0; tries < TRIES; tries++) {
    const id = newId();
    const execution = await execute(ctx.service, request.order(id, await claimOf(ctx, id)));
    const reply = await replyTo(ctx, request, execution);
    if (reply) return reply;
  }
  throw retryLater("outcome_pending", "The payment is changing right now. Send the request again in a moment.");
}

/** A refusal for the moment. */
export const retryLater = (code: "outcome_pending" | "idempotency_request_in_progress", detail: string) =>
  new AppError(code, detail, { retryAfterSeconds: 1 });

/** Null: start over. */
async function replyTo(ctx: Context, request: MoneyRequest, execution: Execution): Promise<Reply | null> {
  switch (execution.kind) {
    case "unclaimed":
      return answerFromKey(ctx, request.token);
    case "refused": {
      const error = await request.refusal(execution.snapshot);
      if (!execution.claimed && error) throw error;
      if (error) return refuseClaimed(ctx, error);
      await releaseClaim(ctx);
      return null;
    }
    default:
      return replyOf(ctx, execution.operation, execution);
  }
}

/** The answer to a request whose operation was sent, or taken over. */
async function replyOf(ctx: Context, operation: OperationSubject, executed: Executed): Promise<Reply> {
  if (executed.kind === "finished" && executed.answer) {
    const { status, body, made } = executed.answer;
    remember(ctx);
    if (body.length <= LONG_ANSWER) return { status, body, replayed: false, ...(made && { made }) };
    const stored = { key: keyOf(ctx).key, operationId: operation.id, status, bytes: body.length };
    return longReply(ctx, stored, false);
  }
  if (executed.kind === "lost") {
    const row = await findKey(sqlOf(ctx), ctx.environment.id, keyOf(ctx).key);
    // The process that took the operation over has stored the first answer.
    if (row?.state === "done" && row.operation_id === operation.id) return replay(ctx, row);
  }
  return stillPending(ctx, operation);
}

async function stillPending(ctx: Context, operation: OperationSubject): Promise<Reply> {
  const { id: environmentId, mode } = ctx.environment;
  const snapshot = await getPaymentOf(ctx.service, { ...operation, environmentId });
  const result: Result = { kind: "pending", snapshot, transactionId: operation.transactionId, mode };
  const make = () => ctx.service.renderAnswer(requestOf(ctx), result);
  const bytes = lengthOf(snapshot);
  if (bytes <= LONG_ANSWER) return { ...make(), replayed: false };
  return { status: PENDING_STATUS, body: "", replayed: false, long: { bytes, read: async () => make().body } };
}

/** How many answered keys a process remembers. */
const REMEMBERED = 5_000;
const answeredBy = new WeakMap<Service, Set<string>>();
const nameOf = ({ environment }: Context, { key }: IdempotencyRequest) => `${environment.id} ${key}`;

function remember(ctx: Context): void {
  const names = answeredBy.get(ctx.service) ?? new Set<string>();
  answeredBy.set(ctx.service, names);
  if (names.size >= REMEMBERED) names.delete(names.values().next().value as string);
  names.add(nameOf(ctx, keyOf(ctx)));
}

/**
 * The stored answer of a key that this process has answered before: one look-up instead of a claim. Null for every other key:
 * new, free again, still running, or sent with another request.
 */
export async function replayKnown(ctx: Context): Promise<Reply | null> {
  const request = keyOf(ctx);
  if (!answeredBy.get(ctx.service)?.has(nameOf(ctx, request))) return null;
  const row = await findKey(sqlOf(ctx), ctx.environment.id, request.key);
  if (row?.state !== "done" || row.expired || !(await request.isSame(row.request_digest))) return null;
  return replay(ctx, row);
}

/**
 * The stored answer of a key, and nothing else: it claims no key and moves no money, whatever the key's age. Throws
 * `resource_not_found` when there is none any more, 409 for another request's key and for one without an answer yet.
 */
export async function replayStored(ctx: Context): Promise<Reply> {
  const request = keyOf(ctx);
  const row = await findKey(sqlOf(ctx), ctx.environment.id, request.key);
  if (!row || row.expired) {
    const detail =
      "This key has no stored response: keys are forgotten 24 hours after first use. The request would run as a new operation, so nothing was sent.";
    throw new AppError("resource_not_found", detail);
  }
  if (!(await request.isSame(row.request_digest))) {
    throw new AppError("idempotency_key_reused", "This key now belongs to another request. Nothing was sent.");
  }
  if (row.state === "done") return replay(ctx, row);
  throw retryLater("idempotency_request_in_progress", "The first request has no response yet. Try again in a moment.");
}

/** A stored answer, after checking the caller's permission again: it may have been lost in the wait. */
async function replay(ctx: Context, row: StoredKey): Promise<Reply> {
  await ctx.reauthorize();
  const { key, operation_id: operationId, status_code: status, response_body: body, response_bytes: bytes } = row;
  if (status === null || bytes === null) throw new Error("a finished key has no answer");
  noteReplay(ctx, row);
  remember(ctx);
  return body === null ? longReply(ctx, { key, operationId, status, bytes }, true) : { status, body, replayed: true };
}

/**
 * The answer of a key in use: its stored answer, 409 for other parameters, the outcome of a request that died, or, after
 * waiting, 409 in progress. Null: the key has become free, and the request starts over. `token`: the card of a payment that the
 * dead request did not send.
 */
export async function answerFromKey(ctx: Context, token: HeldCard | null = null): Promise<Reply | null> {
  const { key, isSame } = keyOf(ctx);
  const giveUpAt = ctx.service.timer.elapsedMs() + WAIT_MS;
  let row = await findKey(sqlOf(ctx), ctx.environment.id, key);
  let compared = null as Buffer | null;
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    if (!row || row.expired) return null;
    if (!(compared?.equals(row.request_digest) || (await isSame(row.request_digest)))) {
      noteReuse(ctx, row, keyOf(ctx));
      throw new AppError(
        "idempotency_key_reused",
        `This key was first used for ${row.path} with other parameters. Use a new key for a new operation.`,
      );
    }
    compared = row.request_digest;
    if (row.state === "done") return replay(ctx, row);
    if (row.lease_over) {
      if (row.operation_state === null) {
        await releaseKey(sqlOf(ctx), ctx.environment.id, key, null);
        return null;
      }
      const reply = row.operation_id && (await takeOver(ctx, row.operation_id, token));
      if (reply) return reply;
    }
    if (ctx.service.timer.elapsedMs() + pauseMs > giveUpAt) {
      const detail = "The first request with this key is still running. Send it again in a moment.";
      throw retryLater("idempotency_request_in_progress", detail);
    }
    row = await lookAgain(ctx, pauseMs);
  }
}

/** The next look-up of each process for each key that requests wait for. */
const looksOf = new WeakMap<Service, Map<string, Promise<StoredKey | null>>>();

/** The key's row after a pause: one look-up for all requests that wait for it, however many repeat a slow request. */
function lookAgain(ctx: Context, pauseMs: number): Promise<StoredKey | null> {
  const { service, environment } = ctx;
  const { key } = keyOf(ctx);
  const name = `${environment.id} ${key}`;
  const looks = looksOf.get(service) ?? new Map<string, Promise<StoredKey | null>>();
  looksOf.set(service, looks);
  const begun = looks.get(name);
  if (begun) return begun;
  const look = service.timer
    .wait(pauseMs)
    .then(() => findKey(sqlOf(ctx), environment.id, key))
    .finally(() => looks.delete(name));
  looks.set(name, look);
  return look;
}

/** Continues where the first request stopped; null when another process holds the operation. */
async function takeOver(ctx: Context, operationId: string, token: HeldCard | null): Promise<Reply | null> {
  const { service, environment } = ctx;
  const taken = await takeOperation(sqlOf(ctx), environment.id, operationId, leaseOf(service.processorTimeoutMs));
  if (!taken) return null;
  const executed = await resolveOperation(service, taken, token);
  await ctx.reauthorize();
  const { id, kind, payment_id: paymentId, transaction_id: transactionId } = taken;
  return replyOf(ctx, { id, kind, paymentId, transactionId }, executed);
}

/** Frees the key that this request has claimed and written nothing for. */
function releaseClaim(ctx: Context): Promise<void> {
  return releaseKey(sqlOf(ctx), ctx.environment.id, keyOf(ctx).key, ctx.request.id);
}

/** Refuses a request that has claimed its key: a refusal to store is replayed from now on, any other frees the key. */
export async function refuseClaimed(ctx: Context, error: AppError): Promise<Reply> {
  if (!error.stored) {
    await releaseClaim(ctx);
    throw error;
  }
  const claim = { key: keyOf(ctx).key, requestId: ctx.request.id };
  const answer = ctx.service.renderAnswer(requestOf(ctx), { kind: "refused", error });
  if (await storeRefusal(sqlOf(ctx), ctx.environment.id, claim, answer)) return { ...answer, replayed: false };
  // The lease ran out and another request took the key: its answer counts.
  const detail = "Another request with this key is running. Send it again in a moment.";
  throw retryLater("idempotency_request_in_progress", detail);
}

/** Refuses a request by a business rule before anything was claimed; a key in use gives its own answer. */
export async function refuseUnclaimed(ctx: Context, error: AppError): Promise<Reply> {
  const answer = ctx.service.renderAnswer(requestOf(ctx), { kind: "refused", error });
  const claim = await claimOf(ctx, newId());
  for (;;) {
    if (await claimWithRefusal(sqlOf(ctx), ctx.environment.id, claim, answer)) {
      return { ...answer, replayed: false };
    }
    const reply = await answerFromKey(ctx);
    if (reply) return reply;
  }
}
