import { AsyncLocalStorage } from "node:async_hooks";
import postgres from "postgres";

/** Nothing was sent, because no connection could take it. The cause has the reason. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
}

const NETWORK = new Set([
  ...["CONNECTION_CLOSED", "CONNECTION_ENDED", "CONNECTION_DESTROYED", "CONNECT_TIMEOUT"],
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
]);

/**
 * Connection errors (class 08), a read-only or demoted server, missing resources (disk or memory full, too many connections),
 * time limits, shutdown, start-up, crashes, and errors of disk and files.
 */
const SERVER = /^(08...|25006|25P0[34]|53...|57014|57P0[1-5]|58030|58P01)$/;

/** After these the server is another one, or will be: its connections are thrown away. Inner errors (XX) count in. */
const LOST = /^(08...|25006|25P03|57P0[1-5]|58030|58P01|XX...)$/;

/** Whether an error means that the database was not there or could not serve, as against that it refused something. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // By name: Next has a copy of this module, and of its class, while the pools are the host's.
  if (error.name === "DatabaseUnavailable") return true;
  const code = "code" in error ? String(error.code) : "";
  if (error instanceof postgres.PostgresError) {
    if (SERVER.test(code) || isPanic(error)) return true;
  } else if (NETWORK.has(code)) {
    return true;
  }
  // Drizzle wraps the driver's error, and a failure of all of a host's addresses comes as an AggregateError.
  return (
    (error.cause !== undefined && isDatabaseUnavailable(error.cause)) ||
    (error instanceof AggregateError && error.errors.some(isDatabaseUnavailable))
  );
}

/** Whether a statement that failed like this was provably not executed: it found no connection, or the server takes no writes. */
export function wasNotExecuted(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return error.code === "25006";
  return error instanceof Error && error.name === "DatabaseUnavailable";
}

/** Whether the connection an error came from is to be thrown away. */
export const isServerLost = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && (LOST.test(error.code) || isPanic(error));

const isPanic = (error: postgres.PostgresError) => error.severity === "PANIC" || error.severity === "FATAL";

/** A request that statements are sent for, and the first failure among them by which the database could not serve. */
export type Serving = { failure: unknown };

/** Of the process, on globalThis: pages send their statements through Next's copy of this module. */
const holder = globalThis as { [key: symbol]: AsyncLocalStorage<Serving> | undefined };
const KEY = Symbol.for("cardlane.serving");
holder[KEY] ??= new AsyncLocalStorage<Serving>();
const servings = holder[KEY];

/** Does `work` for a request: `serving` learns of an outage even where an error has lost its cause by the time it is answered. */
export const workFor = <T>(serving: Serving, work: () => T): T => servings.run(serving, work);

/** Notes a failed statement for the request that it was sent for, if there is one. */
export function noteFailure(serving: Serving | undefined, error: unknown): void {
  if (serving && serving.failure === null && isDatabaseUnavailable(error)) serving.failure = error;
}

export const currentServing = (): Serving | undefined => servings.getStore();
