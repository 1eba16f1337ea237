import { isDatabaseUnavailable } from "@/db/unavailable";
import { log } from "@/lib/log";

let installed = false;

/**
 * An outage of the database must not end the process. On each new connection postgres.js asks for the array types in a
 * promise that nobody holds: when the server dies just then, it would. Anything else unhandled still ends the process.
 */
export function surviveOutages(): void {
  if (installed) return;
  installed = true;
  process.on("unhandledRejection", (reason) => {
    if (!isDatabaseUnavailable(reason)) throw reason;
    log.warn({ err: reason }, "the database went away while a connection was being made");
  });
}
