import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { collectGarbage } from "@/e2e/fixtures/collect";
import type { Mode } from "@/lib/contract/transactions/words";
import { acquireExportSlot } from "./export";

const takeNow = (merchantId: string) => acquireExportSlot(merchantId, { waitMs: 0 });

test("two merchants export concurrently, and can't starve the others", async () => {
  const first = await takeNow("a");
  await expect(takeNow("a")).rejects.toThrow(/your account/);
  const second = await takeNow("b");
  await expect(takeNow("c")).rejects.toThrow(/Other exports/);
  first.release();
  const third = await takeNow("c");
  // A second release has no effect.
  first.release();
  await expect(takeNow("a")).rejects.toThrow(/Other exports/);
  second.release();
  (await takeNow("a")).release();
  third.release();
});

test("test mode leaves one slot to live mode, and frees slots only for itself", async () => {
  let nowMs = 0;
  const take = (merchantId: string, mode: Mode) => acquireExportSlot(merchantId, { mode, now: () => nowMs, waitMs: 0 });
  const test = await take("t", "test");
  await expect(take("u", "test")).rejects.toThrow(/Other exports/);
  const live = await take("l", "live");
  nowMs = 10_000;
  const next = await take("u", "test");
  expect([test.signal.aborted, live.signal.aborted]).toEqual([true, false]);
  const other = await take("m", "live");
  expect([live.signal.aborted, next.signal.aborted]).toEqual([true, false]);
  for (const slot of [next, other]) slot.release();
});

test("an export that is hardly read loses its slot to the next one, the slowest first, and never in its first seconds", async () => {
  let nowMs = 0;
  const take = (merchantId: string) => acquireExportSlot(merchantId, { now: () => nowMs, waitMs: 0 });
  const [idle, slow] = [await take("idle"), await take("slow")];
  nowMs = 4_900;
  await expect(take("c")).rejects.toThrow(/Other exports/);
  nowMs = 10_000;
  slow.note(500_000);
  const third = await take("c");
  expect([idle.signal.aborted, slow.signal.aborted]).toEqual([true, false]);
  // Its slot belongs to another export now, so this release has no effect.
  idle.release();
  await expect(take("c")).rejects.toThrow(/your account/);
  slow.note(600_000);
  await expect(take("d")).rejects.toThrow(/Other exports/);
  third.release();
  slow.release();
});

test("an export that is hardly read loses its slot to one that already waits", async () => {
  let nowMs = 0;
  const take = (merchantId: string) => acquireExportSlot(merchantId, { now: () => nowMs });
  const [idle, fast] = [await take("idle"), await take("fast")];
  const waiting = take("waiting");
  fast.note(10_000_000);
  nowMs = 10_000;
  const next = await waiting;
  expect([idle.signal.aborted, fast.signal.aborted]).toEqual([true, false]);
  for (const slot of [next, fast]) slot.release();
});

test("an account's exports are limited per minute, because each stays in its history", async () => {
  for (let i = 0; i < 20; i++) (await takeNow("often")).release();
  await expect(takeNow("often")).rejects.toThrow(/has made 20 exports.* begin in 60 s/);
  (await takeNow("another")).release();
});

test("an export waits for the end of the one that was cancelled before it, and takes one slot", async () => {
  const cancelled = await takeNow("again");
  const waiting = [acquireExportSlot("again"), acquireExportSlot("again", { waitMs: 50 })];
  cancelled.release();
  const [next, other] = await Promise.allSettled(waiting);
  expect([next?.status, other?.status]).toEqual(["fulfilled", "rejected"]);
  if (next?.status === "fulfilled") next.value.release();
  (await takeNow("again")).release();
});

test("a caller that has left does not wait", async () => {
  const running = await takeNow("left");
  const gone = new AbortController();
  const waiting = acquireExportSlot("left", { gone: gone.signal, waitMs: 600_000 });
  gone.abort();
  await expect(waiting).rejects.toThrow(/your account/);
  running.release();
});

test("an export waits no longer than its limit, whatever is garbage-collected in the meantime", {
  timeout: 5_000,
}, async () => {
  const running = await takeNow("patient");
  const waiting = acquireExportSlot("patient", { waitMs: 300 });
  await turn();
  collectGarbage();
  await expect(waiting).rejects.toThrow(/your account/);
  running.release();
});
