import { expect, test } from "vitest";
import { takeExportSlot } from "./export-slots";

test("two exports run at once, of two merchants: none can starve the others", () => {
  const first = takeExportSlot("a");
  expect(() => takeExportSlot("a")).toThrow(/your account/);
  const second = takeExportSlot("b");
  expect(() => takeExportSlot("c")).toThrow(/Other exports/);
  first.release();
  const third = takeExportSlot("c");
  // Given back twice, it is one place.
  first.release();
  expect(() => takeExportSlot("a")).toThrow(/Other exports/);
  second.release();
  takeExportSlot("a").release();
  third.release();
});

test("one that is hardly read loses its place to the next, the slowest first, and never in its first seconds", () => {
  let nowMs = 0;
  const take = (merchantId: string) => takeExportSlot(merchantId, () => nowMs);
  const [idle, slow] = [take("idle"), take("slow")];
  nowMs = 4_900;
  expect(() => take("c")).toThrow(/Other exports/);
  nowMs = 10_000;
  slow.note(500_000);
  const third = take("c");
  expect([idle.signal.aborted, slow.signal.aborted]).toEqual([true, false]);
  // What it gives back is no longer its own.
  idle.release();
  expect(() => take("c")).toThrow(/your account/);
  slow.note(600_000);
  expect(() => take("d")).toThrow(/Other exports/);
  third.release();
  slow.release();
});

test("an account exports so often and no more: each export stays in its history", () => {
  for (let i = 0; i < 20; i++) takeExportSlot("often").release();
  expect(() => takeExportSlot("often")).toThrow(/has made 20 exports.* begin in 60 s/);
  takeExportSlot("another").release();
});
