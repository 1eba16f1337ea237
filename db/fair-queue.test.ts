import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue";

function queueOf(...waiters: string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const waiter of waiters) queue.push(waiter.slice(0, 1), waiter);
  return queue;
}

function rest(queue: FairQueue<string>): string[] {
  const all: string[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) all.push(next);
  return all;
}

test("one of each line in turn, within a line in order", () => {
  const queue = queueOf("a1", "a2", "a3", "b1", "a4", "b2", "c1");
  expect(queue.length).toBe(7);
  expect(rest(queue)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  expect([queue.length, queue.shift()]).toEqual([0, undefined]);
});

test("who comes while a long line is served waits for one of it", () => {
  const queue = queueOf("a1", "a2", "a3", "a4");
  expect(queue.shift()).toBe("a1");
  queue.push("b", "b1");
  expect(rest(queue)).toEqual(["a2", "b1", "a3", "a4"]);
});

test("a line whose first waiter may not begin is passed, and keeps its place", () => {
  const queue = queueOf("a1", "a2", "b1", "b2");
  const mayBegin = (waiter: string) => !waiter.startsWith("a");
  expect([queue.shift(mayBegin), queue.shift(), queue.shift(mayBegin), queue.shift(mayBegin)]).toEqual([
    ...["b1", "a1", "b2", undefined],
  ]);
  expect([queue.length, ...queue]).toEqual([1, "a2"]);
});

test("those who have waited too long are the first of each line", () => {
  const queue = queueOf("a1", "b3", "a3", "b4", "c1", "a1");
  expect(queue.takeOver((waiter) => waiter.endsWith("1"))).toEqual(["a1", "c1"]);
  expect([...queue]).toEqual(["a3", "a1", "b3", "b4"]);
  expect(queue.length).toBe(4);
  expect(queue.takeAll()).toEqual(["a3", "a1", "b3", "b4"]);
  expect(queue.length).toBe(0);
});
