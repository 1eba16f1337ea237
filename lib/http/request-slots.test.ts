import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Slot } from "@/lib/semaphore";
import { createRequestSlots } from "./request-slots";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const settle = () => vi.advanceTimersByTimeAsync(0);

/** Acquired slots, by the caller's name. */
function reading(readsAtOnce = 4) {
  const slots = createRequestSlots(readsAtOnce);
  const held: { reader: string; slot: Slot }[] = [];
  const refused: unknown[] = [];
  const take = (reader: string, times: number, acquire: (reader: string) => Promise<Slot>) => {
    for (let i = 0; i < times; i++)
      acquire(reader).then(
        (slot) => void held.push({ reader, slot }),
        (error: unknown) => void refused.push(error),
      );
    return settle();
  };
  const readers = () => held.map(({ reader }) => reader).join("");
  return { slots, held, refused, readers, take };
}

test("one caller leaves two read slots to others, and callers are served round-robin", async () => {
  const { slots, held, readers, take } = reading();
  await take("a", 4, (reader) => slots.read(reader, "live"));
  expect(readers()).toBe("aa");
  await take("b", 3, (reader) => slots.read(reader, "live"));
  expect(readers()).toBe("aabb");
  for (const { slot } of held.slice(0, 4)) slot.release();
  await settle();
  expect(readers().slice(4)).toBe("aab");
});

test("test mode leaves a read slot to live mode, however many test environments read", async () => {
  const { slots, readers, take } = reading();
  for (const reader of "abcd") await take(reader, 1, (name) => slots.read(name, "test"));
  expect(readers()).toBe("abc");
  await take("x", 1, (reader) => slots.read(reader, "live"));
  expect(readers()).toBe("abcx");
});

test("a caller has at most one long write in progress", async () => {
  const { slots, held, readers, take } = reading();
  await take("a", 2, (reader) => slots.longWrite(reader, "live"));
  await take("b", 1, (reader) => slots.longWrite(reader, "live"));
  expect(readers()).toBe("ab");
  held[0]?.slot.release();
  await settle();
  expect(readers()).toBe("aba");
});

test("responses that are not received delay only their own caller", async () => {
  const { slots, readers, take } = reading();
  await take("a", 9, (reader) => slots.unsent(reader));
  await take("b", 1, (reader) => slots.unsent(reader));
  expect(readers()).toBe("aaab");
});

test("too many waiting reads are refused immediately, and any read after five seconds", async () => {
  const { slots, refused, readers, take } = reading(3);
  await take("a", 1 + 200 + 2, (reader) => slots.read(reader, "live"));
  expect(readers()).toBe("a");
  const full = {
    code: "rate_limited",
    headers: { "Retry-After": "2" },
    message: expect.stringContaining("200 of your"),
  };
  expect(refused).toEqual([expect.objectContaining(full), expect.objectContaining(full)]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(refused).toHaveLength(202);
  expect(refused.at(-1)).toMatchObject({ message: expect.stringContaining("Too much is being read right now") });
});

test("at most four writes of one payment run concurrently, and others never wait for them", async () => {
  const { slots, refused, readers, take } = reading();
  await take("p", 5, (payment) => slots.write({ merchant: "m", payment }));
  await take("q", 1, (payment) => slots.write({ merchant: "m", payment }));
  await take("n", 1, (merchant) => slots.write({ merchant, payment: null }));
  expect(readers()).toBe("ppppqn");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(refused).toMatchObject([{ message: expect.stringContaining("Too many requests for this payment") }]);
});
