import postgres from "postgres";
import { isDatabaseUnavailable } from "./unavailable";

/**
 * Whether a write was refused because another row has what must be its own. That is an error in the database, which ends the
 * transaction: only the constraint sees a row that another transaction is writing. Two locked rows that swap wait for each other:
 * there it is a deadlock.
 */
export function isTaken(error: unknown, constraint: string): boolean {
  const cause = error instanceof Error ? error.cause : null;
  if (!(cause instanceof Error && "code" in cause)) return false;
  return cause.code === "40P01" || ("constraint_name" in cause && cause.constraint_name === constraint);
}

/** Whether PostgreSQL ended a statement that took longer than it may. */
export const isCanceled = (error: unknown): boolean => hasCode(error, ["57014"]);

/** No lock in time, or a deadlock that it was chosen to end: the same may go well a moment later. */
export const isBusy = (error: unknown): boolean => hasCode(error, ["55P03", "40P01"]);

/** The server refused what a statement was to write, as against that it could not be reached, could not serve, or was busy. */
export const isRefused = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && !isDatabaseUnavailable(error) && !isBusy(error);

/** The driver's error, or one around it. */
function hasCode(error: unknown, codes: readonly string[]): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && codes.includes(String(error.code))) || hasCode(error.cause, codes);
}
