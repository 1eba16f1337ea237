import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "@/lib/contract/errors";
import { createAnswerLimits, type Turn, type TurnOptions } from "./answer-limits";

const MB = 1_000_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function limitsOf(atOnce = 4) {
  const limits = createAnswerLimits({ bytesPerSecond: 5 * MB, atOnce, now: () => performance.now() });
  const began: { reader: string; turn: Turn }[] = [];
  const refused: AppError[] = [];
  const read = (reader: string, times = 1, options: TurnOptions = {}) => {
    for (let i = 0; i < times; i++)
      limits.turn(reader, options).then(
        (turn) => void began.push({ reader, turn }),
        (error: AppError) => void refused.push(error),
      );
  };
  const settle = () => vi.advanceTimersByTimeAsync(0);
  return { limits, began, refused, read, settle, readers: () => began.map(({ reader }) => reader).join("") };
}

const refusalOf = (work: () => void): AppError | null => {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
};

test("a reader has ten seconds' worth at once, and afterwards so many bytes a second as it is allowed", async () => {
  const { limits } = limitsOf();
  limits.charge("a", 50 * MB - 1);
  expect(refusalOf(() => limits.check("a"))).toBeNull();
  limits.charge("a", 20 * MB);
  const refusal = refusalOf(() => limits.check("a"));
  expect(refusal).toMatchObject({ code: "rate_limited", status: 429 });
  expect(refusal?.message).toMatch(/5,000,000 bytes per second\. Try again in 4 s/);
  expect(refusal?.headers).toEqual({
    "RateLimit-Policy": '"answers";q=50000000;qu="content-bytes";w=10',
    RateLimit: '"answers";r=0;t=14',
    "Retry-After": "4",
  });
  expect(refusalOf(() => limits.check("b"))).toBeNull();
  await vi.advanceTimersByTimeAsync(3_900);
  expect(refusalOf(() => limits.check("a"))).not.toBeNull();
  await vi.advanceTimersByTimeAsync(200);
  expect(refusalOf(() => limits.check("a"))).toBeNull();
});

test("few read at once, nobody has all turns, and the turns go round", async () => {
  const { began, read, settle, readers } = limitsOf(4);
  read("a", 6);
  read("b", 3);
  read("c", 2);
  await settle();
  expect(readers()).toBe("aaab");
  for (let i = 0; i < 7; i++) {
    began[i]?.turn.sent();
    await settle();
  }
  expect(readers()).toBe("aaabbacbaca");
});

test("test mode never has the last turn, however many test environments read", async () => {
  const { began, read, settle, readers } = limitsOf(3);
  for (const reader of ["a", "b", "c"]) read(reader, 2, { mode: "test" });
  await settle();
  expect(readers()).toBe("aa");
  read("l", 2);
  await settle();
  expect(readers()).toBe("aal");
  began[0]?.turn.sent();
  await settle();
  expect(readers()).toBe("aalb");
});

test("a reader beside others leaves two turns, however long its own are, and alone one", async () => {
  const { began, read, settle, readers } = limitsOf(3);
  const end = async (index: number) => {
    began[index]?.turn.sent();
    await settle();
  };
  read("a", 6);
  await settle();
  expect(readers()).toBe("aa");
  read("b");
  await settle();
  await end(0);
  await end(1);
  expect(readers()).toBe("aaba");
  await end(2);
  expect(readers()).toBe("aaba");
  await vi.advanceTimersByTimeAsync(2_000);
  await end(3);
  expect(readers()).toBe("aabaaa");
});

test("work that is always long is done one at a time for each reader", async () => {
  const { began, read, settle, readers } = limitsOf(4);
  read("a", 3, { isLong: true });
  read("b", 2);
  await settle();
  expect(readers()).toBe("abb");
  began[0]?.turn.sent();
  await settle();
  expect(readers()).toBe("abba");
});

test("an answer that is not taken keeps a turn of its reader, and none of the others'", async () => {
  const { began, read, settle, readers } = limitsOf(3);
  read("a", 3);
  await settle();
  for (const { turn } of [...began]) turn.made();
  read("b", 3);
  await settle();
  began[2]?.turn.made();
  await settle();
  expect(readers()).toBe("aabb");
  began[0]?.turn.sent();
  began[0]?.turn.sent();
  began[2]?.turn.made();
  await settle();
  expect(readers()).toBe("aabba");
});

test("too many waiting reads of one reader are refused at once, and who waits too long in the end", async () => {
  const { refused, read, settle, readers } = limitsOf(2);
  read("a", 201);
  await settle();
  expect(refused).toHaveLength(0);
  read("a");
  await settle();
  expect(refused.map(({ headers }) => headers["Retry-After"])).toEqual(["2"]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(refused).toHaveLength(201);
  expect(refused[200]?.message).toMatch(/Too much is being read/);
  read("b");
  await settle();
  expect(readers()).toBe("ab");
});

test("all who read much share what four may have, and who reads little waits for none of it", async () => {
  const { limits, began, read, settle } = limitsOf(4);
  let bytes = 0;
  const heavy = Array.from({ length: 10 }, (_, i) => `h${i}`);
  for (const reader of heavy) read(reader, 20);
  for (let ms = 0; ms < 4_000; ms += 10) {
    await vi.advanceTimersByTimeAsync(10);
    for (const { reader, turn } of began.splice(0)) {
      expect(reader).toMatch(/^h/);
      limits.charge(reader, MB);
      bytes += MB;
      turn.sent();
      read(reader);
    }
  }
  // A second's worth of each passes at first, and a little all the time.
  expect(bytes).toBeGreaterThan(10 * 5 * MB);
  expect(bytes).toBeLessThan(10 * 6 * MB + 4 * 20 * MB);
  for (const { reader, turn } of began.splice(0)) {
    limits.charge(reader, 10 * MB);
    turn.sent();
  }
  await settle();
  expect(began).toHaveLength(0);
  read("light");
  await settle();
  expect(began.map(({ reader }) => reader)).toEqual(["light"]);
});

test("of what waits nothing is read any more once those before it have used up what there was", async () => {
  const { limits, began, refused, read, settle, readers } = limitsOf(2);
  read("a", 3);
  read("b");
  await settle();
  expect(readers()).toBe("ab");
  limits.charge("a", 90 * MB);
  began[1]?.turn.sent();
  began[0]?.turn.sent();
  await vi.advanceTimersByTimeAsync(4_500);
  expect(readers()).toBe("ab");
  expect(refused.map(({ code }) => code)).toEqual(["rate_limited", "rate_limited"]);
});
