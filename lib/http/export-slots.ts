import { AppError } from "@/lib/contract/errors";

const AT_ONCE = 2;
let running = 0;

/**
 * A place among the exports that run at once in this process, each of which holds a database connection: answers how to
 * give it back. Throws 429 when all are taken.
 */
export function takeExportSlot(): () => void {
  if (running >= AT_ONCE) {
    throw new AppError("rate_limited", "Other exports are running right now. Try again in a few seconds.", {
      headers: { "Retry-After": "5" },
    });
  }
  running++;
  let taken = true;
  return () => {
    if (taken) running--;
    taken = false;
  };
}
