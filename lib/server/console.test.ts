import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createConsole } from "./console";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function capture(isTTY: boolean) {
  let text = "";
  const write = (part: string) => {
    text += part;
  };
  const console = createConsole({ isTTY, write });
  return { console, text: () => text };
}

test("a quick step is one plain line without a terminal", async () => {
  const { console, text } = capture(false);
  await console.step("Database", async (say) => say("ready"));
  expect(text()).toBe("  ✓ Database      ready\n");
});

test("a slow step is announced after one second and ends with its duration", async () => {
  const { console, text } = capture(false);
  const done = console.step("Pages", async (say) => {
    say("building");
    await vi.advanceTimersByTimeAsync(4_000);
    say("built");
  });
  await done;
  expect(text()).toBe("  … Pages         building\n  ✓ Pages         built  4 s\n");
});

test("a running step is repeated every 15 seconds, and immediately when its detail changes", async () => {
  const { console, text } = capture(false);
  await console.step("Database", async (say) => {
    say("starting the database");
    await vi.advanceTimersByTimeAsync(31_500);
    say("waiting for it");
    await vi.advanceTimersByTimeAsync(1_000);
  });
  expect(
    text()
      .split("\n")
      .map((line) => line.trim()),
  ).toEqual([
    "… Database      starting the database",
    "… Database      starting the database  16 s",
    "… Database      starting the database  31 s",
    "… Database      waiting for it",
    "✓ Database      waiting for it  33 s",
    "",
  ]);
});

test("a terminal shows the elapsed seconds live", async () => {
  const { console, text } = capture(true);
  await console.step("Pages", async () => {
    await vi.advanceTimersByTimeAsync(3_000);
  });
  expect(text()).toContain("2 s");
});

test("a failed step is marked, and its error is rethrown", async () => {
  const { console, text } = capture(false);
  await expect(console.step("Pages", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(text()).toBe("  ✗ Pages\n");
});
