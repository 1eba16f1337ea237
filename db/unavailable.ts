import postgres from "postgres";

const NETWORK = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
]);

/** Shutting down, starting, too many connections, and the connection errors of class 08. */
const SERVER = /^(57P0[1-5]|53300|08...)$/;

/** Whether an error says that the database was not there, as against that it refused something. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  if (error instanceof postgres.PostgresError ? SERVER.test(code) : NETWORK.has(code)) return true;
  // Drizzle wraps the driver's error, and a failure of all of a host's addresses comes as an AggregateError.
  return (
    (error.cause !== undefined && isDatabaseUnavailable(error.cause)) ||
    (error instanceof AggregateError && error.errors.some(isDatabaseUnavailable))
  );
}
