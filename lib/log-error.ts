/** An error as it appears in the log. */
type LoggedError = { type: string; message: string; [member: string]: unknown };

/**
 * Members that help to locate the error and contain no data. The digest is the id that an error page shows.
 */
const MEMBERS = "code errno syscall address port status table_name constraint_name routine digest".split(" ");
const MAX_DEPTH = 5;

/**
 * Copies members by name: the drivers' errors contain the statement with its parameters and, in `detail` and
 * `where`, the row, and so customers' data and password hashes. For pino's `err`; other values stay
 * unchanged.
 */
export function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  if (isFailedQuery(error) && error.cause instanceof Error) {
    const { digest } = error as { digest?: unknown };
    return { ...(serializeError(error.cause, depth) as LoggedError), ...(digest !== undefined && { digest }) };
  }
  const message = messageOf(error);
  const type = error.constructor.name || error.name;
  const logged: LoggedError = { type, message, stack: `${type}: ${message}${framesOf(error)}` };
  const members = error as unknown as Record<string, unknown>;
  for (const name of MEMBERS) if (members[name] !== undefined) logged[name] = members[name];
  if (depth >= MAX_DEPTH) return logged;
  if (error.cause !== undefined) logged.cause = serializeError(error.cause, depth + 1);
  if (error instanceof AggregateError) logged.errors = error.errors.map((each) => serializeError(each, depth + 1));
  return logged;
}

/**
 * Drizzle's wrapper, recognized by shape, because Next bundles a copy of the class. Its message has the
 * statement and all parameters.
 */
const isFailedQuery = (error: Error) => "query" in error && "params" in error;

function messageOf(error: Error): string {
  if (isFailedQuery(error)) return "a query failed";
  // Class 22, wrong data: PostgreSQL quotes the value it was given.
  const code = "code" in error ? String(error.code) : "";
  return error.name === "PostgresError" && code.startsWith("22") ? withoutQuoted(error.message) : error.message;
}

/** Cut from the first quote to the last, because the quoted value may contain quotes. */
function withoutQuoted(message: string): string {
  const [from, to] = [message.indexOf('"'), message.lastIndexOf('"')];
  return from < to ? `${message.slice(0, from)}"…"${message.slice(to + 1)}` : message;
}

/** The stack without its first lines, which repeat the message. */
function framesOf({ stack = "", message }: Error): string {
  const start = stack.indexOf(message);
  const rest = start < 0 ? stack : stack.slice(start + message.length);
  return rest.slice(Math.max(0, rest.search(/\n[ \t]+at /)));
}
