import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followTime, nowMs, systemClock } from "./clock";
import { idTime, newId } from "./ids";

const AHEAD = Symbol.for("cardlane.database-time");
const START = Date.parse("2026-11-20T12:00:00.000Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: START });
});
afterEach(() => {
  vi.useRealTimers();
  Reflect.deleteProperty(globalThis, AHEAD);
});

/** The database reports this time, `tookMs` after the query was sent. */
function read(databaseMs: number, tookMs: number): void {
  const sentAt = performance.now();
  vi.advanceTimersByTime(tookMs);
  followTime(databaseMs, { sentAt, receivedAt: performance.now() });
}

test("it is this machine's time until the database's is known, and the database's from then on", () => {
  expect(nowMs()).toBe(START);
  read(START + 3_600_000, 0);
  expect(systemClock.now().toISOString()).toBe("2026-11-20T13:00:00.000Z");
  vi.advanceTimersByTime(1_500);
  vi.setSystemTime(0);
  expect(nowMs()).toBe(START + 3_601_500);
  expect(idTime(newId())).toBe("2026-11-20T13:00:01.500Z");
});

test("a reading that agrees within its round trip changes nothing; another one moves the clock as little as needed", () => {
  read(START, 0);
  vi.advanceTimersByTime(1_000);
  read(START + 1_000, 400);
  expect(nowMs()).toBe(START + 1_400);
  read(START + 5_000, 100);
  expect(nowMs()).toBe(START + 5_000);
  read(START + 2_000, 100);
  expect(nowMs()).toBe(START + 2_100);
});

test("a clock that was far ahead does not keep new ids there", () => {
  read(START + 86_400_000, 0);
  newId();
  read(START, 0);
  expect(idTime(newId())).toBe("2026-11-20T12:00:00.000Z");
});
