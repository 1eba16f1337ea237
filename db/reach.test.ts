import { expect, test, vi } from "vitest";
import { ConfigurationError } from "@/lib/env";
import { outlast } from "./reach";
import { DatabaseUnavailable } from "./unavailable";

const URL = "postgres://cardlane:secret@127.0.0.1:5432/cardlane";
const away = () =>
  new Error("Failed query: select value from service_settings", {
    cause: new DatabaseUnavailable("nothing was sent", {
      cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
    }),
  });

/** Fails with each of these in turn, then succeeds. */
const failing = (...errors: Error[]) =>
  vi.fn(async () => {
    const error = errors.shift();
    if (error) throw error;
    return "done";
  });

test("a step is retried while the database is down, with a sentence that names the step", async () => {
  const say = vi.fn();
  expect(await outlast(URL, failing(away(), away()), { say })).toBe("done");
  const sentence = "waiting for it: The database at 127.0.0.1:5432 cannot be reached: nothing listens there.";
  expect(say.mock.calls).toEqual([[sentence], [sentence]]);
});

test("the retry limit ends with that sentence and what to do, without the statement", async () => {
  const ending = outlast(URL, failing(away(), away(), away()), { patienceMs: 0 });
  const sentence =
    "The database at 127.0.0.1:5432 cannot be reached: nothing listens there. Start PostgreSQL there, or correct DATABASE_URL.";
  await expect(ending).rejects.toThrow(new ConfigurationError(sentence));
});

test("a refused password is not waited for", async () => {
  const refused = Object.assign(new Error("no"), { code: "28P01" });
  const work = failing(new DatabaseUnavailable("nothing was sent", { cause: refused }));
  await expect(outlast(URL, work)).rejects.toThrow("refuses the user or password in DATABASE_URL");
  expect(work).toHaveBeenCalledTimes(1);
});

test.each([
  ["a fault of our own", new TypeError("x is undefined")],
  ["a sentence that was found before", new ConfigurationError("Set it.", { cause: away() })],
])("%s is thrown as it is", async (_, error) => {
  const work = failing(error);
  await expect(outlast(URL, work)).rejects.toBe(error);
  expect(work).toHaveBeenCalledTimes(1);
});
