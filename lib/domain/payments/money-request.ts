import { findKey, type KeyClaim, LONG_RESPONSE_BYTES, releaseKey, storeResponse } from "@/db/queries/idempotency/keys";
import type { Order } from "@/db/queries/payments/intents";
import { takeOperation } from "@/db/queries/payments/operations";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import { PENDING_STATUS } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { newId } from "@/lib/ids";
import type { Connected } from "@/lib/processor/registry";
import type { Context, Reply, Result } from "../context";
import { runOnce } from "../idempotency/run-once";
import {
  createClaim,
  inProgress,
  keyedRequest,
  longReply,
  remember,
  replay,
  replayKnown,
  replyFromKey,
  requireKey,
} from "../idempotency/used-key";
import { announcePending } from "../subscriptions/settle-payment";
import { type Execution, execute } from "./execute";
import { type Executed, getOperationPayment } from "./finish-operation";
import { leaseOf, type OpenOperation, operationFromRow } from "./operation";
import { estimateLength } from "./read-payments";
import { type HeldCard, resolveOperation } from "./recover-operations";

const sqlOf = ({ service, environment }: Context) => service.db.within(environment.id).sql;

/** The order of a request, and its refusal if the guard does not allow the order. */
type MoneyRequest = {
  /** The payment's processor. */
  readonly at: Connected;
  /** The card of an authorization. */
  readonly token?: string;
  /** Builds the order, once per attempt. `id`: UUID. */
  readonly order: (id: string, claim: KeyClaim) => Order;
  /**
   * Why the guard refused, for the snapshot read right after. Without a snapshot the payment does not exist,
   * or its token or session is used up. Null: the guard would pass now.
   */
  readonly refusal: (snapshot: PaymentSnapshot | null) => AppError | null | Promise<AppError | null>;
  /** The token may be sent on behalf of an earlier request that died before sending it. */
  readonly mayResend?: boolean;
};

/**
 * A request starts over if its key has become free, or the payment changed before its refusal was worked out.
 */
const MAX_ATTEMPTS = 10;

/**
 * Moves money under the request's idempotency key and returns the reply. Throws AppError for refusals that
 * are not stored (404; 409 reused, in progress or pending); stored refusals are replies.
 */
export async function executeRequest(ctx: Context, request: MoneyRequest): Promise<Reply> {
  const known = await replayKnown(ctx);
  if (known) return known;
  const { at, token } = request;
  const { heldForMs } = leaseOf(ctx.service.processorTimeoutMs);
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const id = newId();
    const order = request.order(id, await createClaim(ctx, id, heldForMs));
    const execution = await execute(ctx.service, order, { at, ...(token !== undefined && { token }) });
    const reply = await replyTo(ctx, request, execution);
    if (reply) return reply;
  }
  throw outcomePending("The payment is changing right now. Send the request again in a moment.");
}

/** A temporary refusal. */
export const outcomePending = (detail: string) => new AppError("outcome_pending", detail, { retryAfterSeconds: 1 });

/** The reply to a request, or null to start over. */
async function replyTo(ctx: Context, request: MoneyRequest, execution: Execution): Promise<Reply | null> {
  const { at, token, mayResend } = request;
  switch (execution.kind) {
    case "unclaimed":
      return replyFromMoneyKey(ctx, token && mayResend ? { token, connectionId: at.connectionId } : null);
    case "refused": {
      const error = await request.refusal(execution.snapshot);
      if (!execution.claimed && error) throw error;
      if (error) return refuseClaimed(ctx, error);
      await releaseClaim(ctx);
      return null;
    }
    default:
      return executedReply(ctx, execution.operation, execution);
  }
}

/** The reply to a request whose operation was sent or taken over. */
async function executedReply(ctx: Context, operation: OpenOperation, executed: Executed): Promise<Reply> {
  if (executed.kind === "finished" && executed.reply) {
    const { status, body } = executed.reply;
    remember(ctx);
    if (body.length <= LONG_RESPONSE_BYTES) return executed.reply;
    return longReply(
      ctx,
      { operation_id: operation.id, response_sealed: false },
      { status, bytes: body.length },
      false,
    );
  }
  if (executed.kind === "lost") {
    const row = await findKey(sqlOf(ctx), ctx.environment.id, requireKey(ctx).key);
    // The process that took over the operation has already stored the response.
    if (row?.state === "done" && row.operation_id === operation.id) return replay(ctx, row);
  }
  return stillPending(ctx, operation);
}

async function stillPending(ctx: Context, operation: OpenOperation): Promise<Reply> {
  const snapshot = await getOperationPayment(ctx.service, operation);
  const made = await announcePending(ctx, snapshot);
  if (made) return { status: PENDING_STATUS, body: JSON.stringify(made), replayed: false, made };
  const { transactionId, mode } = operation;
  const result: Result = { kind: "pending", snapshot, transactionId, mode };
  const make = () => ctx.service.renderReply(keyedRequest(ctx), result);
  const bytes = estimateLength(snapshot);
  if (bytes <= LONG_RESPONSE_BYTES) return make();
  return { status: PENDING_STATUS, body: "", replayed: false, long: { bytes, read: async () => make().body } };
}

/**
 * {@link replyFromKey} for requests that move money. `token`: the card of a payment that a dead request never
 * sent.
 */
export const replyFromMoneyKey = (ctx: Context, token: HeldCard | null = null): Promise<Reply | null> =>
  replyFromKey(ctx, (operationId) => takeOver(ctx, operationId, token));

/** Continues the operation of a request that died; null if another process holds it. */
async function takeOver(ctx: Context, operationId: string, token: HeldCard | null): Promise<Reply | null> {
  const { service, environment } = ctx;
  const taken = await takeOperation(sqlOf(ctx), environment.id, operationId, leaseOf(service.processorTimeoutMs));
  if (!taken) return null;
  const executed = await resolveOperation(service, taken, token);
  await ctx.reauthorize();
  return executedReply(ctx, operationFromRow(taken, keyedRequest(ctx)), executed);
}

/** Frees a key that this request has claimed without writing an operation. */
function releaseClaim(ctx: Context): Promise<void> {
  return releaseKey(sqlOf(ctx), ctx.environment.id, requireKey(ctx).key, ctx.request.id);
}

/**
 * Refuses a request that has claimed its key: stores a permanent refusal for replays, frees the key for any
 * other.
 */
export async function refuseClaimed(ctx: Context, error: AppError): Promise<Reply> {
  if (!error.stored) {
    await releaseClaim(ctx);
    throw error;
  }
  const response = ctx.service.renderReply(keyedRequest(ctx), { kind: "refused", error });
  const { orm } = ctx.service.db.within(ctx.environment.id);
  if (await storeResponse(orm, ctx.environment.id, keyedRequest(ctx), response)) return response;
  // The lease ran out and another request claimed the key: its response counts.
  throw inProgress("Another request with this key is running. Send it again in a moment.");
}

/** Refuses a request by a business rule before T1; a key in use gets its own response. */
export const refuseUnclaimed = (ctx: Context, error: AppError): Promise<Reply> =>
  runOnce(ctx, () => Promise.reject(error), { takeOver: (operationId) => takeOver(ctx, operationId, null) });
