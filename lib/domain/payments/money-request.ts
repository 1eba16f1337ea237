import {
  claimWithRefusal,
  findKey,
  type KeyClaim,
  type KeyState,
  LONG_ANSWER,
  releaseKey,
  storeRefusal,
} from "@/db/queries/idempotency/claims";
import { takeOperation } from "@/db/queries/payments/operations";
import { findPayment, type PaymentSnapshot } from "@/db/queries/payments/payments";
import { AppError } from "@/lib/contract/errors";
import { newId } from "@/lib/ids";
import type { Context, IdempotencyRequest, Reply, Result, Service } from "../context";
import { noteReplay, noteReuse } from "../idempotency/note-key-use";
import { type Executed, type Execution, execute, type Order } from "./execute";
import { type KeyedRequest, leaseOf, type OperationSubject } from "./operation";
import { lengthOf, longReply } from "./read-payments";
import { resolveOperation } from "./recover-operations";

/** How long a duplicate waits for the first request before it is told to come back. */
const WAIT_MS = 2_000;

/** The key of a money request. The pipeline has refused those without one, so its absence is a programmer's error. */
export function keyOf(ctx: Context): IdempotencyRequest {
  if (!ctx.idempotency) throw new Error(`${ctx.request.operation} moves money and needs an idempotency key`);
  return ctx.idempotency;
}

function requestOf(ctx: Context): KeyedRequest {
  return {
    key: keyOf(ctx).key,
    operationName: ctx.request.operation,
    path: ctx.request.path,
    requestId: ctx.request.id,
  };
}

async function claimOf(ctx: Context, operationId: string): Promise<KeyClaim> {
  const { key, digest, body } = keyOf(ctx);
  return {
    key,
    digest: await digest(),
    body,
    operationName: ctx.request.operation,
    path: ctx.request.path,
    requestId: ctx.request.id,
    actor: ctx.actor,
    operationId,
    leaseMs: leaseOf(ctx.service.processorTimeoutMs).heldForMs,
  };
}

/** What a request does under its key, and what it is told when that cannot be. */
export type MoneyRequest = {
  /** A new order for each try. `id`: UUID. */
  readonly order: (id: string, claim: KeyClaim) => Order;
  /**
   * Why the guard said no, for the payment as it was right after; without one there is no such payment, or what it was to be
   * made from is used up. Null: it would say yes by now.
   */
  readonly refusal: (snapshot: PaymentSnapshot | null) => AppError | null | Promise<AppError>;
  /** The card with which this request sends an authorization that an earlier one with its key did not. */
  readonly token?: string | null;
};

/** A request is started over when its key became free meanwhile, or the payment changed under a refusal. */
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
  throw new AppError("outcome_pending", "The payment is changing right now. Send the request again in a moment.", {
    headers: { "Retry-After": "1" },
  });
}

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
    const { status, body } = executed.answer;
    remember(ctx);
    if (body.length <= LONG_ANSWER) return { status, body, replayed: false };
    const stored = { key: keyOf(ctx).key, operationId: operation.id, status, bytes: body.length };
    return longReply(ctx, stored, false);
  }
  if (executed.kind === "lost") {
    const row = await findKey(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, keyOf(ctx).key);
    // Whoever took the operation over has given, and stored, the first answer.
    if (row?.state === "done" && row.operation_id === operation.id) return replay(ctx, row);
  }
  return stillPending(ctx, operation);
}

async function stillPending(ctx: Context, operation: OperationSubject): Promise<Reply> {
  const snapshot = await findPayment(
    ctx.service.db.within(ctx.environment.id).sql,
    ctx.environment.id,
    operation.paymentId,
  );
  if (!snapshot) throw new Error(`operation ${operation.id} has no payment`);
  const result: Result = {
    kind: "pending",
    snapshot,
    transactionId: operation.transactionId,
    mode: ctx.environment.mode,
  };
  const make = () => ctx.service.renderAnswer(requestOf(ctx), result);
  const bytes = lengthOf(snapshot);
  if (bytes <= LONG_ANSWER) return { ...make(), replayed: false };
  return { status: 202, body: "", replayed: false, long: { bytes, read: async () => make().body } };
}

/** How many keys that it answered a process remembers. */
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
 * The stored answer of a key that this process has answered before: one look instead of an attempt to claim it. Null for all
 * else, which then goes its way: a key that is new, free again, still running, or sent with another request.
 */
export async function replayKnown(ctx: Context): Promise<Reply | null> {
  const request = keyOf(ctx);
  if (!answeredBy.get(ctx.service)?.has(nameOf(ctx, request))) return null;
  const row = await findKey(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, request.key);
  if (row?.state !== "done" || row.expired || !(await request.isSame(row.request_digest))) return null;
  return replay(ctx, row);
}

/** A stored answer, after the caller's right to it is asked again: it may have been lost in the wait. */
async function replay(ctx: Context, row: KeyState): Promise<Reply> {
  await ctx.reauthorize();
  const { key, operation_id: operationId, status_code: status, response_body: body, response_bytes: bytes } = row;
  if (status === null || bytes === null) throw new Error("a finished key has no answer");
  noteReplay(ctx, row);
  remember(ctx);
  return body === null ? longReply(ctx, { key, operationId, status, bytes }, true) : { status, body, replayed: true };
}

/**
 * What a key that is already in use answers: its stored answer (after the caller's right to it is asked again), 409 for
 * other parameters, the end of a request that died, or, after waiting, 409 in progress. Null: the key has become free, and
 * the request is to start over. `token`: the card of a payment that the dead request did not send.
 */
export async function answerFromKey(ctx: Context, token: string | null = null): Promise<Reply | null> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const { key, isSame } = keyOf(ctx);
  const giveUpAt = ctx.service.timer.elapsedMs() + WAIT_MS;
  let row = await findKey(sql, ctx.environment.id, key);
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
        await releaseKey(sql, ctx.environment.id, key, null);
        return null;
      }
      const reply = row.operation_id && (await takeOver(ctx, row.operation_id, token));
      if (reply) return reply;
    }
    if (ctx.service.timer.elapsedMs() + pauseMs > giveUpAt) {
      throw new AppError(
        "idempotency_request_in_progress",
        "The first request with this key is still running. Send it again in a moment.",
        {
          headers: { "Retry-After": "1" },
        },
      );
    }
    row = await lookAgain(ctx, pauseMs);
  }
}

/** The next look of each process at each key that somebody waits for. */
const looksOf = new WeakMap<Service, Map<string, Promise<KeyState | null>>>();

/** What is known of the request's key after a pause: one look for all who wait for it, however many repeat a request that is slow. */
function lookAgain(ctx: Context, pauseMs: number): Promise<KeyState | null> {
  const { service, environment } = ctx;
  const { key } = keyOf(ctx);
  const name = `${environment.id} ${key}`;
  const looks = looksOf.get(service) ?? new Map<string, Promise<KeyState | null>>();
  looksOf.set(service, looks);
  const begun = looks.get(name);
  if (begun) return begun;
  const look = service.timer
    .wait(pauseMs)
    .then(() => findKey(service.db.within(environment.id).sql, environment.id, key))
    .finally(() => looks.delete(name));
  looks.set(name, look);
  return look;
}

/** Goes on where the first request stopped; null when another has the operation already. */
async function takeOver(ctx: Context, operationId: string, token: string | null): Promise<Reply | null> {
  const { service, environment } = ctx;
  const taken = await takeOperation(
    service.db.within(environment.id).sql,
    environment.id,
    operationId,
    leaseOf(service.processorTimeoutMs),
  );
  if (!taken) return null;
  const executed = await resolveOperation(service, taken, token);
  await ctx.reauthorize();
  const { id, kind, payment_id: paymentId, transaction_id: transactionId } = taken;
  return replyOf(ctx, { id, kind, paymentId, transactionId }, executed);
}

/** Frees the key that this request has claimed, for which nothing was written. */
function releaseClaim(ctx: Context): Promise<void> {
  return releaseKey(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, keyOf(ctx).key, ctx.request.id);
}

/** Refuses a request whose key this request has claimed: what is stored is replayed from now on, the rest frees the key. */
export async function refuseClaimed(ctx: Context, error: AppError): Promise<Reply> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  if (!error.stored) {
    await releaseClaim(ctx);
    throw error;
  }
  const claim = { key: keyOf(ctx).key, requestId: ctx.request.id };
  const answer = ctx.service.renderAnswer(requestOf(ctx), { kind: "refused", error });
  if (await storeRefusal(sql, ctx.environment.id, claim, answer)) return { ...answer, replayed: false };
  // Our time was over and another request took the key: its answer is the one that counts.
  throw new AppError(
    "idempotency_request_in_progress",
    "Another request with this key is running. Send it again in a moment.",
    {
      headers: { "Retry-After": "1" },
    },
  );
}

/** Refuses a request by a business rule before anything was claimed; a key in use answers for itself. */
export async function refuseUnclaimed(ctx: Context, error: AppError): Promise<Reply> {
  const answer = ctx.service.renderAnswer(requestOf(ctx), { kind: "refused", error });
  const claim = await claimOf(ctx, newId());
  for (;;) {
    if (await claimWithRefusal(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, claim, answer)) {
      return { ...answer, replayed: false };
    }
    const reply = await answerFromKey(ctx);
    if (reply) return reply;
  }
}
