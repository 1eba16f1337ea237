import postgres from "postgres";
import { isDatabaseUnavailable } from "./unavailable";

/**
 * True if a unique constraint refused a write. The error ends the transaction; no earlier check could replace
 * it, because only the constraint sees a concurrent insert. Two transactions that swap values deadlock
 * instead.
 */
export function isTaken(error: unknown, constraint: string): boolean {
  const cause = error instanceof Error ? error.cause : null;
  if (!(cause instanceof Error && "code" in cause)) return false;
  return cause.code === "40P01" || ("constraint_name" in cause && cause.constraint_name === constraint);
}

/** True if PostgreSQL canceled a statement that exceeded its time limit. */
export const isCanceled = (error: unknown): boolean => hasCode(error, ["57014"]);

/** True for a read that a standby ended because of what it had to replay. The same read may succeed elsewhere. */
export const isConflict = (error: unknown): boolean => hasCode(error, ["40001"]);

/** True for a lock timeout or a deadlock: a retry may succeed. */
export const isBusy = (error: unknown): boolean => hasCode(error, ["55P03", "40P01"]);

/**
 * True if the server refused what was to be written, as opposed to being unreachable, unavailable or busy.
 */
export const isRefused = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && !isDatabaseUnavailable(error) && !isBusy(error);

/** Checks the driver's error and errors that wrap it. */
function hasCode(error: unknown, codes: readonly string[]): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && codes.includes(String(error.code))) || hasCode(error.cause, codes);
}
