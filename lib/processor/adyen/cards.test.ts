import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type AdyenDouble, startAdyenDouble } from "@/e2e/doubles/adyen/api";
import { memoryJournal } from "@/e2e/fixtures/memory-journal";
import { testCard } from "@/e2e/port-suite/calls";
import { systemTimer, type Timer } from "@/lib/clock";
import { createCards } from "./cards";
import { createRequests, type Requests } from "./requests";

const ACCOUNT = randomUUID();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Timeout of a call; a run starts no deletion after half of it. */
const TIMEOUT_MS = 20_000;
const STORED = /\/storedPaymentMethods$/;
const DELETE = /\/storedPaymentMethods\/./;

let double: AdyenDouble;
beforeEach(async () => {
  const started = await startAdyenDouble();
  double = started;
  onTestFinished(() => started.stop());
});

/** Cards stored at the double, with a clock that the test advances. */
function cardsAt(
  { url: endpoint, apiKey, merchantAccount }: AdyenDouble,
  requests: Partial<Requests> = {},
  timer: Timer = systemTimer,
) {
  let nowMs = Date.now();
  const now = () => new Date(nowMs);
  const journal = memoryJournal(now);
  const real = createRequests({ apiKey, live: false, livePrefix: undefined, endpoint, timeoutMs: 2_000 });
  const cards = createCards({
    requests: { ...real, ...requests },
    journal,
    merchantAccount,
    clock: { now },
    timer,
    timeoutMs: TIMEOUT_MS,
  });
  return {
    ...cards,
    real,
    journal,
    store: () => cards.store(ACCOUNT, testCard("4242424242424242")),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}
const answer = (status: number) => ({
  answer: { status, body: JSON.stringify({ status, errorCode: "010", message: "Not allowed" }) },
  executed: false,
});

describe("a stored card", () => {
  test("is deleted after an hour, and not before", async () => {
    const cards = cardsAt(double);
    const { token } = await cards.store();
    const [id] = double.stored.keys();
    expect(await cards.read(ACCOUNT, token)).toMatchObject({ paymentMethod: { storedPaymentMethodId: id } });
    expect(await cards.read(randomUUID(), token)).toBeNull();
    cards.pass(HOUR_MS - 1);
    expect(await cards.forgetOld()).toBe(0);
    cards.pass(2);
    expect(await cards.forgetOld()).toBe(1);
    expect(double.stored.size).toBe(0);
    expect(await cards.read(ACCOUNT, token)).toBeNull();
  });

  test.each([401, 403, 409, 429, 500])(
    "that Adyen did not delete, responding %i, is left for a later run",
    async (status) => {
      const cards = cardsAt(double);
      await cards.store();
      cards.pass(2 * HOUR_MS);
      double.fault(DELETE, answer(status));
      await expect(cards.forgetOld()).rejects.toThrow(`Adyen did not forget 1 card: Adyen answered ${status}`);
      expect(double.stored.size).toBe(1);
      cards.pass(HOUR_MS);
      expect(await cards.forgetOld()).toBe(1);
      expect(double.stored.size).toBe(0);
    },
  );

  test.each([404, 422])("that Adyen does not have, responding %i, is gone", async (status) => {
    const cards = cardsAt(double);
    await cards.store();
    cards.pass(2 * HOUR_MS);
    double.fault(DELETE, answer(status));
    expect(await cards.forgetOld()).toBe(1);
    expect(await cards.forgetOld()).toBe(0);
  });

  test("that cannot be deleted blocks no others, whatever their number, and is not retried every minute", async () => {
    const kept = new Set<string>();
    const asked: string[] = [];
    const cards: ReturnType<typeof cardsAt> = cardsAt(double, {
      async delete(path) {
        const [, id = ""] = /\/storedPaymentMethods\/([^?]+)/.exec(path) ?? [];
        asked.push(id);
        if (kept.has(id)) return { kind: "unknown", reason: "it broke" };
        return cards.real.delete(path);
      },
    });
    for (let index = 0; index < 105; index++) await cards.store();
    for (const id of double.stored.keys()) kept.add(id);
    await cards.store();
    cards.pass(2 * HOUR_MS);
    for (let minute = 0; minute < 11; minute++) {
      const before = asked.length;
      await expect(cards.forgetOld()).rejects.toThrow("it broke");
      expect(asked.length - before).toBeLessThanOrEqual(10);
      cards.pass(MINUTE_MS);
    }
    expect(new Set(double.stored.keys())).toEqual(kept);
    expect(asked).toHaveLength(106);
    expect(await cards.forgetOld()).toBe(0);
    kept.clear();
    cards.pass(HOUR_MS);
    expect(await cards.forgetOld()).toBe(105);
  });

  test("is deleted in one run at a time, a few concurrently, and a call during a run starts no other", async () => {
    let resolve = () => {};
    const until = new Promise<void>((done) => {
      resolve = done;
    });
    let asked = 0;
    const cards: ReturnType<typeof cardsAt> = cardsAt(double, {
      async delete(path) {
        asked++;
        await until;
        return cards.real.delete(path);
      },
    });
    for (let index = 0; index < 12; index++) await cards.store();
    cards.pass(2 * HOUR_MS);
    const turns = Array.from({ length: 5 }, () => cards.forgetOld());
    await expect.poll(() => asked).toBe(4);
    turns.push(cards.forgetOld());
    resolve();
    expect(await Promise.all(turns)).toEqual(Array(6).fill(12));
    expect(asked).toBe(12);
    expect(await cards.forgetOld()).toBe(0);
  });

  test("is left for the next run once half of a call's time has passed", async () => {
    let elapsedMs = 0;
    const cards: ReturnType<typeof cardsAt> = cardsAt(
      double,
      {
        delete(path) {
          elapsedMs += TIMEOUT_MS / 20;
          return cards.real.delete(path);
        },
      },
      { ...systemTimer, elapsedMs: () => elapsedMs },
    );
    for (let index = 0; index < 20; index++) await cards.store();
    cards.pass(2 * HOUR_MS);
    const first = await cards.forgetOld();
    expect(first).toBeGreaterThanOrEqual(10);
    // Deletions that had started by then.
    expect(first).toBeLessThanOrEqual(14);
    expect(await cards.forgetOld()).toBe(20 - first);
    expect(double.stored.size).toBe(0);
  });

  test("whose response was lost is found by its shopper, and deleted", async () => {
    const cards = cardsAt(double);
    double.fault(STORED, "lost after");
    await expect(cards.store()).rejects.toThrow("did not take a card");
    const [{ shopper } = { shopper: "" }] = double.stored.values();
    cards.pass(2 * HOUR_MS);
    double.fault(STORED, answer(403));
    await expect(cards.forgetOld()).rejects.toThrow("Adyen answered 403");
    double.fault(STORED, { answer: { status: 200, body: '{"storedPaymentMethods":7}' }, executed: false });
    cards.pass(HOUR_MS);
    await expect(cards.forgetOld()).rejects.toThrow("cannot be read");
    expect(double.stored.size).toBe(1);
    cards.pass(HOUR_MS);
    expect(await cards.forgetOld()).toBe(1);
    expect(double.stored.size).toBe(0);
    expect(await cards.journal.of(`card:${shopper}`)).toEqual({});
  });
});

test.each([
  ["refused", answer(401)],
  ["put off", answer(429)],
] as const)("is not recorded if the request to store it was %s", async (_what, fault) => {
  const cards = cardsAt(double);
  double.fault(STORED, fault);
  await expect(cards.store()).rejects.toThrow("did not take a card");
  cards.pass(1);
  expect(await cards.journal.older("card", new Date(Date.now() + HOUR_MS), 10)).toEqual([]);
});
