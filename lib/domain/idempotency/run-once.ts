import type { Orm } from "@/db/client";
import { claimKeyInside, type KeyClaim, storeResponse } from "@/db/queries/idempotency/keys";
import { AppError } from "@/lib/contract/errors";
import type { Context, Reply, Result } from "../context";
import { createClaim, inProgress, replayKnown, replyFromKey, type TakeOver, WAIT_MS } from "./used-key";

type RunOnceOptions = {
  /** The response has a secret that is shown once, so it is stored encrypted. */
  secretResponse?: boolean;
  /** Takes over the operation of a key that moves money. */
  takeOver?: TakeOver;
};

/** A request starts over if its key has become free. */
const MAX_ATTEMPTS = 10;

/**
 * Runs the work of a POST that moves no money and stores the response under the caller's idempotency key, if
 * any. Key, work and response are one commit, so after a crash either all of them exist or the key is still
 * free.
 */
export async function runOnce(
  ctx: Context,
  work: (tx: Orm) => Promise<object>,
  { secretResponse: secretAnswer = false, takeOver }: RunOnceOptions = {},
): Promise<Reply> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  if (ctx.idempotency === null) {
    const made = await orm.transaction(work);
    return render(ctx, { kind: "made", made });
  }
  const known = await replayKnown(ctx);
  if (known) return known;
  const claim = await createClaim(ctx, null, 0);
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const run = await orm.transaction((tx) => runUnderKey(ctx, claim, tx, work, secretAnswer));
    const reply = run ?? (await replyFromKey(ctx, takeOver ?? null));
    if (reply) return reply;
  }
  throw inProgress();
}

/** Null: the key is in use. */
async function runUnderKey(
  ctx: Context,
  claim: KeyClaim,
  tx: Orm,
  work: (tx: Orm) => Promise<object>,
  secretAnswer: boolean,
): Promise<Reply | null> {
  const claimed = await claimKeyInside(tx, ctx.environment.id, claim, WAIT_MS);
  if (claimed === "busy") throw inProgress();
  if (!claimed) return null;
  const { status, body, isRefusal } = await renderWork(ctx, tx, work);
  const isSealed = secretAnswer && !isRefusal;
  const kept = isSealed ? ctx.service.secret.seal(body) : body;
  const isStored = await storeResponse(tx, ctx.environment.id, claim, { status, body: kept, isSealed });
  if (!isStored) throw new Error("a key that this transaction holds is another request's");
  return { status, body, replayed: false };
}

/**
 * The response of the work, or of a refusal that is stored. Any other error rolls back everything, even the
 * key.
 */
async function renderWork(ctx: Context, tx: Orm, work: (tx: Orm) => Promise<object>) {
  try {
    // A savepoint: a refusal rolls back the work but not the claim of the key.
    const made = await tx.transaction(work);
    return { ...render(ctx, { kind: "made", made }), isRefusal: false };
  } catch (error) {
    if (!(error instanceof AppError && error.stored)) throw error;
    return { ...render(ctx, { kind: "refused", error }), isRefusal: true };
  }
}

function render(ctx: Context, result: Result): Reply {
  const { endpoint, path, id: requestId } = ctx.request;
  return ctx.service.renderReply({ endpoint, path, requestId }, result);
}
