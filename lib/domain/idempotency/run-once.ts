import type { Orm } from "@/db/client";
import { claimIdempotencyKey, storeIdempotentAnswer } from "@/db/queries/idempotency/keys";
import type { IdempotencyKeyRow } from "@/db/schema/operations";
import { AppError } from "@/lib/contract/errors";
import type { Answer, Context, IdempotencyRequest, Reply, Result } from "../context";
import { noteReplay, noteReuse } from "./note-key-use";

/** How long a duplicate waits for the first request before it is sent away. */
const WAIT_MS = 2_000;

/** `secretAnswer`: the answer holds something that is shown once, and is kept encrypted. */
type RunOnceOptions = { secretAnswer?: boolean };

/**
 * Runs the work of a POST that moves no money and, when the caller sent an idempotency key, keeps the answer under it. Key,
 * work and answer are one commit, so a crash leaves either all of them or a key that is still free.
 */
export async function runOnce(
  ctx: Context,
  work: (tx: Orm) => Promise<object>,
  options: RunOnceOptions = {},
): Promise<Reply> {
  const { idempotency } = ctx;
  if (idempotency === null) {
    const made = await ctx.service.db.within(ctx.environment.id).orm.transaction(work);
    return { ...render(ctx, { kind: "made", made }), replayed: false };
  }
  const result = await ctx.service.db
    .within(ctx.environment.id)
    .orm.transaction((tx) => runUnderKey(ctx, idempotency, options, tx, work));
  return "stored" in result ? replay(ctx, idempotency, result.stored) : result;
}

async function runUnderKey(
  ctx: Context,
  idempotency: IdempotencyRequest,
  options: RunOnceOptions,
  tx: Orm,
  work: (tx: Orm) => Promise<object>,
): Promise<Reply | { stored: IdempotencyKeyRow }> {
  const environmentId = ctx.environment.id;
  const { endpoint, path, id: requestId } = ctx.request;
  const { key, body: keptBody } = idempotency;
  const claim = {
    key,
    digest: await idempotency.digest(),
    body: keptBody,
    endpoint,
    path,
    requestId,
    actor: ctx.actor,
  };
  const held = await claimIdempotencyKey(tx, environmentId, claim, WAIT_MS);
  if (held === "busy") throw inProgress();
  if (held !== null) return { stored: held };

  const { status, body, secret } = await answerOf(ctx, options, tx, work);
  await storeIdempotentAnswer(tx, environmentId, key, {
    status_code: status,
    response_body: secret ? ctx.service.secret.seal(body) : body,
    response_sealed: secret,
  });
  return { status, body, replayed: false };
}

/** What the work answers: its object, or a refusal of the kind that a key keeps. Anything else undoes all, key included. */
async function answerOf(ctx: Context, options: RunOnceOptions, tx: Orm, work: (tx: Orm) => Promise<object>) {
  try {
    // A savepoint: what a refused attempt wrote is undone, the claim of the key is not.
    const made = await tx.transaction(work);
    return { ...render(ctx, { kind: "made", made }), secret: options.secretAnswer === true };
  } catch (error) {
    if (!(error instanceof AppError && error.stored)) throw error;
    return { ...render(ctx, { kind: "refused", error }), secret: false };
  }
}

function render(ctx: Context, result: Result): Answer {
  const { endpoint, path, id: requestId } = ctx.request;
  return ctx.service.renderAnswer({ endpoint, path, requestId }, result);
}

async function replay(ctx: Context, idempotency: IdempotencyRequest, stored: IdempotencyKeyRow): Promise<Reply> {
  if (!(await idempotency.isSame(stored.request_digest))) {
    noteReuse(ctx, stored, idempotency);
    throw new AppError(
      "idempotency_key_reused",
      "This X-Idempotency-Key was used for another request in the last 24 hours. Use a new key for a new request.",
    );
  }
  if (stored.status_code === null || stored.response_body === null) throw inProgress();
  // The wait may have been long enough for the caller to lose the permission.
  await ctx.reauthorize();
  noteReplay(ctx, stored);
  const body = stored.response_sealed ? ctx.service.secret.unseal(stored.response_body) : stored.response_body;
  return { status: stored.status_code, body, replayed: true };
}

function inProgress(): AppError {
  return new AppError(
    "idempotency_request_in_progress",
    "The first request with this X-Idempotency-Key is still running. Send the same request again in a second.",
    { retryAfterSeconds: 1 },
  );
}
