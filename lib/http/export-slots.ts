import { EXPORTS_AT_ONCE } from "@/db/client";
import { AppError } from "@/lib/contract/errors";

/** Ids of the merchants whose exports run. */
const running = new Set<string>();

/**
 * A place among the exports that run at once in this process, each of which holds a database connection: answers how to
 * give it back. A merchant has one of them, so that none takes all. Throws 429.
 */
export function takeExportSlot(merchantId: string): () => void {
  if (running.has(merchantId)) throw busy("An export of your account is running already. Wait until it is done.");
  if (running.size >= EXPORTS_AT_ONCE) throw busy("Other exports are running right now. Try again in a few seconds.");
  running.add(merchantId);
  let taken = true;
  return () => {
    if (taken) running.delete(merchantId);
    taken = false;
  };
}

const busy = (detail: string) => new AppError("rate_limited", detail, { headers: { "Retry-After": "5" } });
