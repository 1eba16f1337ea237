// Before anything of Next's, in whichever test loads it first: Next takes AsyncLocalStorage from the global object.
import "next/dist/server/node-environment-baseline";
import { afterAll, vi } from "vitest";

/**
 * Test files run in one process after the other, as if each had its own: limits, counts and the service, which a process
 * keeps on globalThis, start again, and nobody finds settings, clocks or functions that another file replaced.
 */
for (const key of Object.getOwnPropertySymbols(globalThis)) {
  if (key.description?.startsWith("cardlane.")) Reflect.deleteProperty(globalThis, key);
}
const settings = { ...process.env };

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in settings)) delete process.env[name];
  Object.assign(process.env, settings);
});
