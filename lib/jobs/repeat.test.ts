import { afterEach, expect, test, vi } from "vitest";
import type { Service } from "@/lib/domain/context";
import { createLogger } from "@/lib/log";
import { repeat } from "./jobs";

const service = { log: createLogger({ level: "silent" }) } as Service;

afterEach(() => void vi.useRealTimers());

test("a sleeping job wakes immediately, one that pauses after work does not, and a wake-up during a run is not lost", async () => {
  vi.useFakeTimers();
  const ranAtMs: number[] = [];
  const startedMs = Date.now();
  let found = 0;
  let wake = () => {};
  let isWokenInside = false;
  const job = repeat(service, "woken", 1_000, async (_stopping, again) => {
    ranAtMs.push(Date.now() - startedMs);
    wake = again;
    if (isWokenInside) wake();
    isWokenInside = false;
    return found;
  });
  await vi.advanceTimersByTimeAsync(500);
  for (let i = 0; i < 5; i++) wake();
  found = 1;
  await vi.advanceTimersByTimeAsync(50);
  expect(ranAtMs).toEqual([0, 510]);
  wake();
  found = 0;
  isWokenInside = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ranAtMs).toEqual([0, 510, 610, 620]);
  await job.stop();
  wake();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ranAtMs).toHaveLength(4);
});

test("stop() aborts a long run and waits for it", async () => {
  let markStarted = () => {};
  const started = new Promise<void>((resolve) => {
    markStarted = resolve;
  });
  let runs = 0;
  let ended = false;
  const job = repeat(service, "long", 1, async (stopping) => {
    runs++;
    markStarted();
    await new Promise<void>((resolve) => stopping.addEventListener("abort", () => resolve()));
    await new Promise<void>((resolve) => setImmediate(resolve));
    ended = true;
    return 1;
  });
  await started;
  await job.stop();
  expect({ runs, ended }).toEqual({ runs: 1, ended: true });
});
