import { DrizzleQueryError } from "drizzle-orm/errors";
import postgres from "postgres";
import { expect, test } from "vitest";
import { createLogger } from "./log";

const HASH = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJTmaaJObG";
const SECRET = "0f".repeat(32);
const PRIVATE = ["ada@shopper.example", HASH, SECRET, "4242424242424242", "Ada Moreno"];

/** The driver's error for a statement with these parameters that the server refused. */
function refusedByPostgres(overrides: object = {}): Error {
  const error = new postgres.PostgresError("x");
  return Object.assign(error, {
    message: 'duplicate key value violates unique constraint "users_email"',
    severity: "ERROR",
    code: "23505",
    table_name: "users",
    constraint_name: "users_email",
    routine: "_bt_check",
    detail: `Key (lower(email))=(${PRIVATE[0]}) already exists.`,
    where: PRIVATE[4],
    hint: PRIVATE[4],
    query: `insert into users values ('${HASH}')`,
    parameters: PRIVATE,
    ...overrides,
  });
}

const wrapped = (cause?: Error) => new DrizzleQueryError("insert into users values ($1, $2)", PRIVATE, cause);

function logged(error: unknown): { line: string; err: Record<string, unknown> } {
  let line = "";
  const destination = {
    write(text: string) {
      line += text;
    },
  };
  createLogger({ level: "info", destination }).error({ err: error }, "a request failed");
  return { line, err: JSON.parse(line).err };
}

test.each([
  ["PostgreSQL", refusedByPostgres()],
  ["a query of Drizzle's", wrapped(refusedByPostgres())],
  ["a query of Drizzle's without a cause", wrapped()],
  ["a cause", new Error("could not be stored", { cause: wrapped(refusedByPostgres()) })],
  ["several errors", new AggregateError([refusedByPostgres(), wrapped(refusedByPostgres())], "all failed")],
  ["a value of the wrong kind", refusedByPostgres({ code: "22P02", message: `invalid input: "${PRIVATE[0]}"` })],
  ["a member that a library added", Object.assign(new Error("failed"), { request: { body: PRIVATE } })],
  ["a text", new Error(`with\n4242424242424242 and ${HASH}`)],
])("an error of %s writes nothing private into the log", (_, error) => {
  const { line } = logged(error);
  for (const text of PRIVATE) expect(line).not.toContain(text);
});

test("everything needed to find the fault is kept", () => {
  const { err } = logged(wrapped(refusedByPostgres()));
  expect(err).toEqual({
    type: "PostgresError",
    message: 'duplicate key value violates unique constraint "users_email"',
    stack: expect.stringMatching(/^PostgresError: duplicate key .*\n\s+at /),
    code: "23505",
    table_name: "users",
    constraint_name: "users_email",
    routine: "_bt_check",
  });
});

test("the id that an error page shows is in the line, also of a query of Drizzle's", () => {
  expect(logged(Object.assign(new Error("failed"), { digest: "123" })).err).toMatchObject({ digest: "123" });
  const query = Object.assign(wrapped(refusedByPostgres()), { digest: "456" });
  expect(logged(query).err).toMatchObject({ type: "PostgresError", digest: "456" });
});

test("causes and the errors of an AggregateError are kept", () => {
  const both = new AggregateError([new TypeError("one")], "none worked", { cause: new RangeError("two") });
  expect(logged(both).err).toMatchObject({
    message: "none worked",
    cause: { type: "RangeError", message: "two" },
    errors: [{ type: "TypeError", message: "one" }],
  });
});
