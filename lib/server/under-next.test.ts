import { afterEach, expect, test, vi } from "vitest";
import { startUnderNext } from "./under-next";

afterEach(() => void vi.unstubAllEnvs());

test("a failed start is retried, and reports the reason again", async () => {
  vi.stubEnv("DATABASE_URL", "postgres://nobody@127.0.0.1:1/none");
  vi.stubEnv("CARDLANE_SECRET", "short");
  for (const _ of ["first", "second"]) await expect(startUnderNext()).rejects.toThrow(/at least 32/);
});
