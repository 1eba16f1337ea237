import { clearOldPaymentTokens, deleteOldPaymentTokens } from "@/db/queries/payment-tokens";
import type { Service } from "../context";

/** Rows in one statement, so that none of them holds others up for long. */
const AT_ONCE = 5_000;

/**
 * Forgets cards that nobody needs any more, in every environment. Of tokens past their 15 minutes the processor's own token
 * goes at once, and the row a day later, so that who uses one too late is told so. At the sandbox those attempts go that its
 * fraud rules do not count any more.
 *
 * Answers how many it forgot: whoever calls it again until that is 0 is done. Several processes may do it at once.
 */
export async function forgetOldCards({
  db,
  processors,
}: {
  readonly db: Service["db"];
  readonly processors: Service["processors"];
}): Promise<number> {
  const attempts = (await processors.processorFor("test")?.forgetOldAttempts()) ?? 0;
  const cleared = await clearOldPaymentTokens(db.orm, AT_ONCE);
  const deleted = await deleteOldPaymentTokens(db.orm, AT_ONCE);
  return attempts + cleared + deleted;
}
