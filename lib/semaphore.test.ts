import { expect, test } from "vitest";
import { acquireAll, Semaphore, type Slot } from "./semaphore";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Callers in order of arrival, by key: those that began, and the slot of each. */
function callers(semaphore: Semaphore) {
  const started: string[] = [];
  const slots = new Map<string, Slot>();
  const arrive = (name: string) =>
    semaphore.acquire(name.charAt(0)).then((slot) => {
      started.push(name);
      slots.set(name, slot);
    });
  const leave = async (name: string) => {
    slots.get(name)?.release();
    await settle();
  };
  return { started: started, arrive, leave, slots };
}

test("keys take turns, callers of one key are served in order, and a released slot frees one", async () => {
  const semaphore = new Semaphore({ slots: 2 });
  const { started, arrive, leave, slots } = callers(semaphore);
  for (const name of ["a1", "a2", "a3", "a4", "b1", "c1"]) void arrive(name);
  await settle();
  expect(started).toEqual(["a1", "a2"]);
  await leave("a1");
  await leave("a1");
  expect(started).toEqual(["a1", "a2", "a3"]);
  expect([semaphore.inUse, semaphore.waiting]).toEqual([2, 3]);
  for (const name of ["a2", "a3", "b1", "c1", "a4"]) await leave(name);
  expect(started).toEqual(["a1", "a2", "a3", "b1", "c1", "a4"]);
  expect([...slots.values()].map(({ waited }) => waited)).toEqual([false, false, true, true, true, true]);
  expect([semaphore.inUse, semaphore.waiting]).toEqual([0, 0]);
});

test("a key that holds its share waits, and others pass it", async () => {
  const { started, arrive, leave } = callers(new Semaphore({ slots: 3, perKey: 2 }));
  for (const name of ["a1", "a2", "a3", "b1", "b2"]) void arrive(name);
  await settle();
  expect(started).toEqual(["a1", "a2", "b1"]);
  await leave("b1");
  expect(started).toEqual(["a1", "a2", "b1", "b2"]);
  await leave("a2");
  expect(started.at(-1)).toBe("a3");
});

test("a full queue and a long wait are refused, and the queue continues without them", async () => {
  const refusal = (reason: string) => new Error(reason);
  const semaphore = new Semaphore({ slots: 1, maxWaiting: 1, waitMs: 20, refusal });
  const first = await semaphore.acquire("a");
  const late = semaphore.acquire("a");
  await expect(semaphore.acquire("a")).rejects.toThrow("full");
  await expect(late).rejects.toThrow("late");
  const next = semaphore.acquire("a");
  first.release();
  (await next).release();
  expect(await semaphore.run(async () => "done", "b")).toBe("done");
  await expect(semaphore.run(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect([semaphore.inUse, semaphore.waiting]).toEqual([0, 0]);
});

test("new slots serve waiting callers, and fewer slots take none from their holders", async () => {
  const semaphore = new Semaphore({ slots: 0 });
  const { started, arrive, leave } = callers(semaphore);
  for (const name of ["a1", "a2", "a3", "b1"]) void arrive(name);
  await settle();
  expect([started, semaphore.waiting]).toEqual([[], 4]);
  semaphore.resize(3);
  await settle();
  expect(started).toEqual(["a1", "b1", "a2"]);
  semaphore.resize(2);
  await leave("a1");
  expect([started.length, semaphore.inUse]).toEqual([3, 2]);
  await leave("b1");
  expect(started.at(-1)).toBe("a3");
});

test("all waiting callers are refused together, each with its own error, and later callers wait", async () => {
  const semaphore = new Semaphore({ slots: 1, waitMs: 10_000 });
  const first = await semaphore.acquire("a");
  const waiting = ["a", "a", "b"].map((key) => semaphore.acquire(key).catch((error: Error) => error));
  semaphore.refuseWaiting(() => new Error("gone"));
  const errors = await Promise.all(waiting);
  expect([new Set(errors).size, semaphore.inUse, semaphore.waiting]).toEqual([3, 1, 0]);
  const later = semaphore.acquire("b");
  first.release();
  expect((await later).waited).toBe(true);
});

test("time in which the process was busy is not counted as waiting", async () => {
  const semaphore = new Semaphore({ slots: 1, waitMs: 50 });
  const first = await semaphore.acquire("a");
  const waiting = semaphore.acquire("a");
  // Without this time of its own the caller would be refused before the answer that frees the slot is read.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  setTimeout(first.release, 20);
  (await waiting).release();
  const held = await semaphore.acquire("a");
  await expect(semaphore.acquire("a")).rejects.toThrow("no slot was free within 50 ms");
  held.release();
});

test("several slots are held together, or none if one is refused", async () => {
  const outer = new Semaphore({ slots: 1 });
  const inner = new Semaphore({ slots: 1, maxWaiting: 0 });
  const both = () => acquireAll([() => outer.acquire(), () => inner.acquire()]);
  const held = await both();
  expect(held.waited).toBe(false);
  held.release();
  const other = await inner.acquire();
  await expect(both()).rejects.toThrow("full");
  expect([outer.inUse, inner.inUse]).toEqual([0, 1]);
  other.release();
});

test("a caller whose signal aborts leaves the queue, and the queue continues without it", async () => {
  const semaphore = new Semaphore({ slots: 1 });
  const first = await semaphore.acquire("a");
  const gone = new AbortController();
  const left = semaphore.acquire("a", gone.signal);
  const next = semaphore.acquire("a");
  gone.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  await expect(semaphore.acquire("b", gone.signal)).rejects.toThrow("gone");
  expect([semaphore.inUse, semaphore.waiting]).toEqual([1, 1]);
  first.release();
  const slot = await next;
  slot.release();
  (await semaphore.acquire("a", gone.signal)).release();
  expect([semaphore.inUse, semaphore.waiting]).toEqual([0, 0]);
});
