import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "@/lib/contract/errors";
import { createAnswerLimits, type Turn } from "./answer-limits";
import { createReads, questionOf } from "./reads";

const MB = 1_000_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Begun = { question: string; find(body: string | Uint8Array[]): void; fail(error: Error): void };

/** A reader has one turn less than `atOnce`. Each read waits until the test says what it found. */
function setUp({ atOnce = 2, nowMs = (): number => 0 } = {}) {
  const limits = createAnswerLimits({ bytesPerSecond: MB, atOnce, now: nowMs });
  const reads = createReads(limits);
  const begun: Begun[] = [];
  const ask = (question: string, reader = "shop") => {
    const reply = reads.inTurn(reader, question, async () => {
      const body = await new Promise<string | Uint8Array[]>((find, fail) => void begun.push({ question, find, fail }));
      return { status: 200, body, replayed: false };
    });
    reply.catch(() => {});
    return reply;
  };
  const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
  const nth = async (index: number): Promise<Begun> => {
    await settle();
    const one = begun[index];
    if (!one) throw new Error(`only ${begun.length} reads have begun`);
    return one;
  };
  /** Takes the reader's only turn; whatever is asked from now on waits until it ends. */
  const busy = async () => {
    const reply = ask("busy");
    await settle();
    return async () => {
      (await nth(0)).find("");
      send(await reply);
      await settle();
    };
  };
  return { limits, begun, ask, settle, nth, busy };
}

const send = ({ turn }: { turn: Turn }) => turn.sent();
const bodyOf = async (reply: Promise<{ body: unknown; turn: Turn }>) => {
  const { body, turn } = await reply;
  turn.sent();
  return body;
};

test("who asks the same before a read begins gets its answer, and who asks later one of its own", async () => {
  const { begun, ask, nth, busy } = setUp();
  const end = await busy();
  const same = [ask("a"), ask("a"), ask("a")];
  const other = ask("b");
  await end();
  const late = [ask("a"), ask("b")];
  (await nth(1)).find("first");
  for (const one of same) expect(await bodyOf(one)).toBe("first");
  (await nth(2)).find("of b");
  for (const one of [other, late[1]]) expect(await bodyOf(one as typeof other)).toBe("of b");
  (await nth(3)).find("second");
  expect(await bodyOf(late[0] as typeof other)).toBe("second");
  expect(begun.map(({ question }) => question)).toEqual(["busy", "a", "b", "a"]);
});

test("its turn lasts until the last of them was sent the answer", async () => {
  const { begun, ask, settle, nth, busy } = setUp();
  const end = await busy();
  const both = [ask("a"), ask("a")];
  const next = ask("b");
  await end();
  (await nth(1)).find("");
  const [one, two] = await Promise.all(both);
  one?.turn.sent();
  one?.turn.sent();
  await settle();
  expect(begun).toHaveLength(2);
  two?.turn.sent();
  (await nth(2)).find("");
  send(await next);
});

test("a read has sixteen callers at most: the next one begins another", async () => {
  const { begun, ask, nth, busy } = setUp();
  const end = await busy();
  const asked = Array.from({ length: 17 }, () => ask("a"));
  await end();
  (await nth(1)).find("first");
  expect(await Promise.all(asked.slice(0, 16).map(bodyOf))).toEqual(Array.from({ length: 16 }, () => "first"));
  (await nth(2)).find("second");
  expect(await bodyOf(asked[16] as (typeof asked)[0])).toBe("second");
  expect(begun).toHaveLength(3);
});

test("each of them is charged, and refused once nothing is left, which gives its part of the turn back", async () => {
  let nowMs = 0;
  const { limits, ask, nth, busy } = setUp({ nowMs: () => nowMs });
  const end = await busy();
  const same = [ask("a"), ask("a"), ask("a"), ask("a"), ask("a")];
  await end();
  (await nth(1)).find([Buffer.alloc(4 * MB)]);
  const results = await Promise.allSettled(same.map(bodyOf));
  // Ten seconds' worth, and what passes it.
  expect(results.map(({ status }) => status)).toEqual([...Array(3).fill("fulfilled"), "rejected", "rejected"]);
  await expect(same[4]).rejects.toMatchObject({ code: "rate_limited" });
  expect(limits.waitMs("shop")).toBeGreaterThan(1_000);
  nowMs = 60_000;
  const next = ask("b");
  (await nth(2)).find("");
  send(await next);
});

test("an answer is charged before the next read begins", async () => {
  const { begun, ask, settle, nth } = setUp({ atOnce: 3 });
  const others = [ask("b", "other"), ask("c", "other")];
  const [one, two] = [ask("a"), ask("d")];
  (await nth(2)).find([Buffer.alloc(11 * MB)]);
  send(await one);
  await settle(5_000);
  expect(begun.map(({ question }) => question)).toEqual(["b", "c", "a"]);
  await expect(two).rejects.toMatchObject({ code: "rate_limited" });
  for (const index of [0, 1]) {
    (await nth(index)).find("");
    send(await (others[index] as typeof one));
  }
});

test("they share an error, what was read for it counts once, and the next one reads", async () => {
  const { limits, ask, nth, busy } = setUp();
  const end = await busy();
  const three = [ask("a"), ask("a"), ask("a")];
  await end();
  const error = new AppError("invalid_parameter", "no such cursor", { readBytes: 0.9 * MB });
  (await nth(1)).fail(error);
  for (const one of three) expect(await one.catch((reason: unknown) => reason)).toBe(error);
  const next = ask("a");
  (await nth(2)).find("found");
  expect(await bodyOf(next)).toBe("found");
  // Ten seconds' worth: two of them would be more.
  limits.charge("shop", 9 * MB);
  expect(limits.waitMs("shop")).toBe(0);
  limits.charge("shop", 0.9 * MB);
  expect(limits.waitMs("shop")).toBeGreaterThan(0);
});

test("a read that has waited for half of its time is joined by nobody: it may be refused soon", async () => {
  const { begun, ask, settle, nth } = setUp();
  const held = ask("busy");
  await settle();
  const first = ask("a");
  await settle(2_400);
  const joined = ask("a");
  await settle(200);
  const late = ask("a");
  await settle(2_500);
  for (const one of [first, joined]) await expect(one).rejects.toMatchObject({ code: "rate_limited" });
  (await nth(0)).find("");
  send(await held);
  (await nth(1)).find("found");
  expect(await bodyOf(late)).toBe("found");
  expect(begun).toHaveLength(2);
});

test("what is made once counts once against what all may have made, and in full against the reader's own", async () => {
  const { limits, ask, settle, nth, busy } = setUp({ nowMs: () => performance.now() });
  const end = await busy();
  const same = Array.from({ length: 9 }, () => ask("a"));
  await end();
  (await nth(1)).find([Buffer.alloc(MB)]);
  await Promise.all(same.map(bodyOf));
  limits.charge("other", 2 * MB);
  const waited = vi.fn();
  void limits.turn("other").then(waited);
  // Three MB were made, of which all readers may have four a second; eleven would keep it waiting for 2.5 s.
  await settle(1_000);
  expect(waited).toHaveBeenCalled();
  // Of ten seconds' worth nine are gone, and one has come back.
  limits.charge("shop", 1.9 * MB);
  expect(limits.waitMs("shop")).toBe(0);
  limits.charge("shop", 0.2 * MB);
  expect(limits.waitMs("shop")).toBeGreaterThan(0);
});

test("a question names the environment, who asks, and all that was asked", () => {
  const [shop, other] = [{ id: "e1" }, { id: "e2" }] as never[];
  const [staff, user] = [
    { type: "staff", id: "1" },
    { type: "user", id: "1" },
  ] as const;
  const list = { name: "listTransactions" };
  const questions = [
    questionOf({ environment: shop as never, actor: staff }, list, { limit: 1 }),
    questionOf({ environment: other as never, actor: staff }, list, { limit: 1 }),
    questionOf({ environment: shop as never, actor: user }, list, { limit: 1 }),
    questionOf({ environment: shop as never, actor: { type: "staff", id: "2" } }, list, { limit: 1 }),
    questionOf({ environment: shop as never, actor: staff }, { name: "listPayments" }, { limit: 1 }),
    questionOf({ environment: shop as never, actor: staff }, list, { limit: 2 }),
  ];
  expect(new Set(questions).size).toBe(6);
  expect(questionOf({ environment: shop as never, actor: staff }, list, { limit: 1 })).toBe(questions[0]);
});
