import { isDatabaseUnavailable } from "@/db/unavailable";
import { AppError } from "@/lib/contract/errors";
import type { Context } from "@/lib/domain/context";
import type { Stream } from "./event-stream";

/**
 * Interval between access checks of streams and exports: with the half second of the key cache, they end
 * within a second.
 */
const RECHECK_MS = 200;
/**
 * Other requests check it again before they act if a slow body or a queue has made the first check older than
 * this.
 */
const FRESH_MS = 400;

type Access = Pick<Context, "reauthorize" | "service">;

/** Calls `revoked` once the caller has lost access, or it can't be checked. Returns how to end the checks. */
export function watchAccess({ reauthorize, service }: Access, revoked: () => void): () => void {
  const { timer, log } = service;
  let ended = false;
  const check = async () => {
    try {
      await reauthorize();
    } catch (error) {
      if (ended) return;
      if (!(error instanceof AppError) && !isDatabaseUnavailable(error))
        log.error({ err: error }, "a stream's access could not be checked");
      revoked();
      return;
    }
    if (!ended) cancel = timer.after(RECHECK_MS, () => void check());
  };
  let cancel = timer.after(RECHECK_MS, () => void check());
  return () => {
    ended = true;
    cancel();
  };
}

/**
 * The stream, ended once its caller loses access: even while it is idle, or while a slow client holds it up.
 */
export const whileAllowed = (access: Access, stream: Stream): Stream =>
  async function* (over) {
    const stop = watchAccess(access, () => over.abort());
    try {
      yield* stream(over);
    } finally {
      stop();
    }
  };

/** True if a check of access is too old to act on. `startedMs`: `performance.now()` from before the check. */
export const isAccessOld = (startedMs: number): boolean => performance.now() - startedMs > FRESH_MS;
