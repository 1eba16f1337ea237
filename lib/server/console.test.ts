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

test("a slow step is announced after a second and ends with its seconds", async () => {
  const { console, text } = capture(false);
  const done = console.step("Pages", async (say) => {
    say("building");
    await vi.advanceTimersByTimeAsync(4_000);
    say("built");
  });
  await done;
  expect(text()).toBe("  … Pages         building\n  ✓ Pages         built  4 s\n");
});

test("a terminal shows the seconds while they pass", async () => {
  const { console, text } = capture(true);
  await console.step("Pages", async () => {
    await vi.advanceTimersByTimeAsync(3_000);
  });
  expect(text()).toContain("2 s");
});

test("a failed step is marked and its error goes on", async () => {
  const { console, text } = capture(false);
  await expect(console.step("Pages", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(text()).toBe("  ✗ Pages\n");
});
