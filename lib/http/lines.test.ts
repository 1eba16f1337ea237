import { expect, test } from "vitest";
import { createLines, createWriteLines, type Place } from "./lines";

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("of one name few run at once, in the order in which they came, and others never wait for them", async () => {
  const lines = createLines({ atOnce: 2, mostWaiting: 10, what: "this payment" });
  const begun: number[] = [];
  const places: Place[] = [];
  const all = [0, 1, 2, 3, 4].map(async (i) => {
    const place = await lines.take("a");
    begun.push(i);
    places[i] = place;
  });
  await settle();
  expect(begun).toEqual([0, 1]);
  (await lines.take("b")).leave();
  places[1]?.leave();
  await settle();
  expect(begun).toEqual([0, 1, 2]);
  // To say it twice frees no second place.
  places[1]?.leave();
  await settle();
  expect(begun).toEqual([0, 1, 2]);
  places[0]?.leave();
  places[2]?.leave();
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  expect(places.map(({ waited }) => waited)).toEqual([false, false, true, true, true]);
  places[3]?.leave();
  places[4]?.leave();
  const again = [await lines.take("a"), await lines.take("a")];
  expect(again).toHaveLength(2);
});

test("who would wait too long, or in too long a line, is sent away, and the line goes on without it", async () => {
  const lines = createLines({ atOnce: 1, mostWaiting: 1, what: "this payment", patienceMs: 20 });
  const first = await lines.take("a");
  const late = lines.take("a");
  await expect(lines.take("a")).rejects.toMatchObject({ code: "rate_limited" });
  await expect(late).rejects.toMatchObject({ code: "rate_limited", headers: { "Retry-After": "2" } });
  const next = lines.take("a");
  first.leave();
  (await next).leave();
  (await lines.take("a")).leave();
});

test("a write waits for its payment's line and for its merchant's, and leaves both whatever becomes of it", async () => {
  const { inTurn } = createWriteLines();
  const names = { payment: "p", merchant: "m" };
  await expect(inTurn(names, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  const ends: (() => void)[] = [];
  const waits: boolean[] = [];
  const all = Array.from({ length: 6 }, (_, i) =>
    inTurn(names, async (waited) => {
      waits[i] = waited;
      await new Promise<void>((resolve) => {
        ends[i] = resolve;
      });
    }),
  );
  await settle();
  expect(waits).toEqual([false, false, false, false]);
  expect(await inTurn({ payment: null, merchant: null }, async (waited) => waited)).toBe(false);
  expect(await inTurn({ payment: "other", merchant: "m" }, async (waited) => waited)).toBe(false);
  ends[2]?.();
  await settle();
  expect(waits).toEqual([false, false, false, false, true]);
  for (const i of [0, 1, 3, 4]) ends[i]?.();
  await settle();
  ends[5]?.();
  await Promise.all(all);
});
