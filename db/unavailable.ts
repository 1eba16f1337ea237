import { AsyncLocalStorage } from "node:async_hooks";
import postgres from "postgres";

/** Nothing was sent, because no connection was available. The cause has the reason. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
}

const NETWORK = new Set([
  ...["CONNECTION_CLOSED", "CONNECTION_ENDED", "CONNECTION_DESTROYED", "CONNECT_TIMEOUT"],
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
]);

/**
 * Connection errors (class 08), a read-only or demoted server, missing resources (disk or memory full, too
 * many connections), timeouts, shutdown, start-up, crashes, and disk or file errors.
 */
const SERVER = /^(08...|25006|25P0[34]|53...|57014|57P0[1-5]|58030|58P01)$/;

/**
 * After these the server is, or will be, another one, so its connections are discarded. Internal errors (XX)
 * count too.
 */
const LOST = /^(08...|25006|25P03|57P0[1-5]|58030|58P01|XX...)$/;

/** True if the database was unreachable or could not serve, as opposed to refusing something. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // By name: Next has its own copy of this module and its class, while the pools belong to the host.
  if (error.name === "DatabaseUnavailable") return true;
  const code = "code" in error ? String(error.code) : "";
  if (error instanceof postgres.PostgresError) {
    if (SERVER.test(code) || isPanic(error)) return true;
  } else if (NETWORK.has(code)) {
    return true;
  }
  // Drizzle wraps the driver's error, and a failure of all of a host's addresses is an AggregateError.
  return (
    (error.cause !== undefined && isDatabaseUnavailable(error.cause)) ||
    (error instanceof AggregateError && error.errors.some(isDatabaseUnavailable))
  );
}

/**
 * True if the failed statement was provably not executed: it had no connection, or the server is read-only.
 */
export function wasNotExecuted(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return error.code === "25006";
  return error instanceof Error && error.name === "DatabaseUnavailable";
}

/** True if a write was refused because the server or its transaction is read-only. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === "25006";

/** True if the connection that the error came from must be discarded. */
export const isServerLost = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && (LOST.test(error.code) || isPanic(error));

const isPanic = (error: postgres.PostgresError) => error.severity === "PANIC" || error.severity === "FATAL";

/** A request's database state: the first failure that means the database was unavailable. */
export type Serving = { failure: unknown };

/** On globalThis, because pages send statements through Next's copy of this module. */
const holder = globalThis as { [key: symbol]: AsyncLocalStorage<Serving> | undefined };
const KEY = Symbol.for("cardlane.serving");
holder[KEY] ??= new AsyncLocalStorage<Serving>();
const servings = holder[KEY];

/**
 * Runs `work` for a request. `serving` records an outage even if the error loses its cause before the
 * response.
 */
export const workFor = <T>(serving: Serving, work: () => T): T => servings.run(serving, work);

/** Records a failed statement for its request, if there is one. */
export function noteFailure(serving: Serving | undefined, error: unknown): void {
  if (serving && serving.failure === null && isDatabaseUnavailable(error)) serving.failure = error;
}

export const currentServing = (): Serving | undefined => servings.getStore();
