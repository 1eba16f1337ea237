import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepSandboxKey, sandboxKeyProblem } from "./sandbox-key";

const KEY = `sk_test_${"a1".repeat(19)}`;
const stored = new Map<string, string>();

beforeEach(() => {
  stored.clear();
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  });
});

afterEach(() => void vi.unstubAllGlobals());

test("only a complete test key is accepted, and a live key gets its own error", () => {
  expect(sandboxKeyProblem(KEY)).toBeNull();
  expect(sandboxKeyProblem(KEY.replace("test", "live"))).toContain("live key");
  for (const text of ["", "pk_123", KEY.slice(1), KEY.slice(0, -1), `${KEY}1`, `${KEY} x`, `${KEY.slice(0, -1)}é`]) {
    expect(sandboxKeyProblem(text), text).toMatch(/sk_test_|complete/);
  }
});

test("a live key is never stored", () => {
  expect(() => keepSandboxKey({ secret: KEY.replace("test", "live"), expiresAt: null })).toThrow("Not a test key");
  expect(stored.size).toBe(0);
  keepSandboxKey({ secret: KEY, expiresAt: null });
  expect([...stored.values()]).toEqual([JSON.stringify({ secret: KEY, expiresAt: null })]);
  keepSandboxKey(null);
  expect(stored.size).toBe(0);
});
