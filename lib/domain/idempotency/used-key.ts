import { findKey, findStoredResponse, type KeyClaim, releaseKey, type StoredKey } from "@/db/queries/idempotency/keys";
import { BoundedMap } from "@/lib/bounded-map";
import { AppError } from "@/lib/contract/errors";
import type { Context, IdempotencyRequest, KeyedRequest, Reply, Service } from "../context";
import { noteReplay, noteReuse } from "./note-key-use";

/* Rules for a key in use, the same for all requests. */

/** Time that a duplicate waits for the first request before it gets 409. */
export const WAIT_MS = 2_000;

/** Continues the operation of a request that died. Null: another process holds it. */
export type TakeOver = (operationId: string) => Promise<Reply | null>;

/** The request's key. The pipeline refuses requests without one where it is required. */
export function requireKey(ctx: Context): IdempotencyRequest {
  if (!ctx.idempotency) throw new Error(`${ctx.request.endpoint} needs an idempotency key`);
  return ctx.idempotency;
}

/** The fields of the request that its response is rendered from, here or in another process. */
export function keyedRequest(ctx: Context): KeyedRequest {
  const { endpoint, path, id: requestId } = ctx.request;
  return { key: requireKey(ctx).key, endpoint, path, requestId };
}

/** The first use of the request's key. */
export async function createClaim(ctx: Context, operationId: string | null, leaseMs: number): Promise<KeyClaim> {
  const { digest, body } = requireKey(ctx);
  return { digest: await digest(), body, actor: ctx.actor, operationId, leaseMs, ...keyedRequest(ctx) };
}

export const inProgress = (detail = "The first request with this key is still running. Send it again in a moment.") =>
  new AppError("idempotency_request_in_progress", detail, { retryAfterSeconds: 1 });

const findOwnKey = (ctx: Context): Promise<StoredKey | null> =>
  findKey(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, requireKey(ctx).key);

/**
 * The reply of a key in use: its stored response, 409 for other parameters, the outcome of a request that
 * died, or, after a wait, 409 in progress. Null: the key has become free, and the request starts over.
 * `withoutOperation`: the key's reference is not in the table of operations, and is taken over all the same.
 */
export async function replyFromKey(
  ctx: Context,
  takeOver: TakeOver | null,
  { withoutOperation = false }: { withoutOperation?: boolean } = {},
): Promise<Reply | null> {
  const { timer, db } = ctx.service;
  const { key, isSame } = requireKey(ctx);
  const giveUpAt = timer.elapsedMs() + WAIT_MS;
  let row = await findOwnKey(ctx);
  let compared = null as Buffer | null;
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    if (!row || row.expired) return null;
    if (!(compared?.equals(row.request_digest) || (await isSame(row.request_digest)))) {
      noteReuse(ctx, row, requireKey(ctx));
      throw new AppError(
        "idempotency_key_reused",
        `This key was first used for ${row.path} with other parameters. Use a new key for a new operation.`,
      );
    }
    compared = row.request_digest;
    if (row.state === "done") return replay(ctx, row);
    if (row.lease_over) {
      if (row.operation_state === null && !withoutOperation) {
        await releaseKey(db.within(ctx.environment.id).sql, ctx.environment.id, key, null);
        return null;
      }
      const reply = row.operation_id && (await takeOver?.(row.operation_id));
      if (reply) return reply;
    }
    if (timer.elapsedMs() + pauseMs > giveUpAt) throw inProgress();
    row = await findKeyLater(ctx, pauseMs);
  }
}

/** The pending lookups of each service, by key. */
const pendingLookups = new WeakMap<Service, Map<string, Promise<StoredKey | null>>>();

/** The key's row after a pause. All requests that wait for the key share one lookup. */
function findKeyLater(ctx: Context, pauseMs: number): Promise<StoredKey | null> {
  const { service } = ctx;
  const name = cacheKey(ctx);
  const looks = pendingLookups.get(service) ?? new Map<string, Promise<StoredKey | null>>();
  pendingLookups.set(service, looks);
  const pending = looks.get(name);
  if (pending) return pending;
  const look = service.timer
    .wait(pauseMs)
    .then(() => findOwnKey(ctx))
    .finally(() => looks.delete(name));
  looks.set(name, look);
  return look;
}

/** A stored response, after checking again that the caller still has the permission. */
export async function replay(ctx: Context, row: StoredKey): Promise<Reply> {
  await ctx.reauthorize();
  const { status_code: status, response_body: body, response_bytes: bytes } = row;
  if (status === null || bytes === null) throw new Error("a finished key has no response");
  noteReplay(ctx, row);
  remember(ctx);
  if (body === null) return longReply(ctx, row, { status, bytes }, true);
  return { status, body: openBody(ctx, row, body), replayed: true };
}

const openBody = ({ service }: Context, { response_sealed }: Pick<StoredKey, "response_sealed">, body: string) =>
  response_sealed ? service.secret.unseal(body) : body;

/** A reply whose long body is read from the request's key when it can be sent. */
export function longReply(
  ctx: Context,
  row: Pick<StoredKey, "operation_id" | "response_sealed">,
  { status, bytes }: { status: number; bytes: number },
  replayed: boolean,
): Reply {
  const read = async () => {
    const { sql } = ctx.service.db.within(ctx.environment.id);
    const body = await findStoredResponse(sql, ctx.environment.id, requireKey(ctx).key, row.operation_id);
    if (body !== null) return openBody(ctx, row, body);
    throw new AppError("idempotency_request_in_progress", "The key has just expired. Send the request with a new one.");
  };
  return { status, body: "", replayed, long: { bytes, read } };
}

/** Max. keys with a stored response that a process remembers. */
const MAX_REMEMBERED_KEYS = 5_000;
const rememberedKeys = new WeakMap<Service, BoundedMap<string, true>>();
const cacheKey = (ctx: Context) => `${ctx.environment.id} ${requireKey(ctx).key}`;

/** Remembers that the key has a stored response, so that a repeat to this process reads it first. */
export function remember(ctx: Context): void {
  const names = rememberedKeys.get(ctx.service) ?? new BoundedMap<string, true>(MAX_REMEMBERED_KEYS);
  rememberedKeys.set(ctx.service, names);
  names.set(cacheKey(ctx), true);
}

/**
 * The stored response of a key that this process remembers: one lookup instead of a claim. Null for any other
 * key: new, free again, still running, or used by another request.
 */
export async function replayKnown(ctx: Context): Promise<Reply | null> {
  if (!rememberedKeys.get(ctx.service)?.has(cacheKey(ctx))) return null;
  const row = await findOwnKey(ctx);
  if (row?.state !== "done" || row.expired || !(await requireKey(ctx).isSame(row.request_digest))) return null;
  return replay(ctx, row);
}

/**
 * The stored response of a key; never claims a key or moves money. Throws `resource_not_found` if the key has
 * expired, 409 if it belongs to another request or has no response yet.
 */
export async function replayStored(ctx: Context): Promise<Reply> {
  const row = await findOwnKey(ctx);
  if (!row || row.expired) {
    const detail =
      "This key has no stored response: keys are forgotten 24 hours after first use. The request would run as a new operation, so nothing was sent.";
    throw new AppError("resource_not_found", detail);
  }
  if (!(await requireKey(ctx).isSame(row.request_digest))) {
    throw new AppError("idempotency_key_reused", "This key now belongs to another request. Nothing was sent.");
  }
  if (row.state === "done") return replay(ctx, row);
  throw inProgress("The first request has no response yet. Try again in a moment.");
}
