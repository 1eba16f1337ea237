import { expect, test } from "vitest";
import { readInTime } from "./lists";

/** The driver's error for a statement timeout, wrapped in the query builder's error. */
const tooSlow = new Error("failed query", { cause: Object.assign(new Error("canceled"), { code: "57014" }) });
const lost = Object.assign(new Error("lost"), { code: "57P01" });

test.each([
  [{ type: "refund.failed" }, tooSlow, "invalid_parameter"],
  [{ id: "we_1", limit: 5, offset: 900_000 }, tooSlow, "invalid_parameter"],
  [{ id: "we_1", limit: 5 }, tooSlow, "failed query"],
  [{ type: "refund.failed" }, lost, "lost"],
])(
  "a list by %o that fails with %s throws %s: only a timeout that the caller can avoid is the caller's error",
  async (...row) => {
    const [input, error, expected] = row;
    const failed = await readInTime(input, () => Promise.reject(error)).catch((thrown) => thrown);
    expect([failed.code, failed.message]).toContain(expected);
  },
);
