import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Shutdown } from "./shutdown";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a step that never ends is reported and abandoned, and the others still run", async () => {
  const ended: string[] = [];
  const problems: string[] = [];
  const shutdown = new Shutdown((name, error) => problems.push(`${name}: ${(error as Error).message}`));
  shutdown.add("first started", async () => void ended.push("first started"));
  shutdown.add("silent", () => new Promise(() => {}));
  shutdown.add("broken", () => Promise.reject(new Error("no")));
  let done = false;
  const run = shutdown.run().then(() => {
    done = true;
  });
  await vi.advanceTimersByTimeAsync(14_000);
  expect(done).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  await run;
  expect(ended).toEqual(["first started"]);
  expect(problems).toEqual(["broken: no", "silent: it took more than 15 s"]);
  expect(vi.getTimerCount()).toBe(0);
});
