import { expect, test } from "vitest";
import { systemTimer } from "@/lib/clock";
import { newId } from "@/lib/ids";
import { forgetTotals, withCachedTotal } from "./lists";

/** Lists one filter of one environment; `counted` has the result of a count, and the number of counts. */
function lists({ onlyGrows }: { onlyGrows: boolean }) {
  const environmentId = newId();
  const counted = { total: 3, times: 0 };
  let nowMs = 1_000;
  const timer = { ...systemTimer, elapsedMs: () => nowMs };
  const list = async (during = () => {}) => {
    const page = await withCachedTotal({ timer }, environmentId, { filter: "all", onlyGrows }, async (known) => {
      if (known !== null) return { total: known };
      counted.times++;
      const { total } = counted;
      during();
      return { total };
    });
    return page.total;
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { environmentId, counted, list, pass };
}

test("a total is counted once every two seconds", async () => {
  const { counted, list, pass } = lists({ onlyGrows: true });
  expect([await list(), await list()]).toEqual([3, 3]);
  counted.total = 4;
  pass(1_999);
  expect(await list()).toBe(3);
  pass(1);
  expect(await list()).toBe(4);
  expect(counted.times).toBe(2);
});

test("a write drops the total of its own environment only", async () => {
  const { counted, list, environmentId } = lists({ onlyGrows: false });
  await list();
  counted.total = 4;
  forgetTotals(newId());
  expect(await list()).toBe(3);
  forgetTotals(environmentId);
  expect(await list()).toBe(4);
});

test("a total counted during a write is not cached", async () => {
  const { counted, list, environmentId } = lists({ onlyGrows: false });
  const old = await list(() => {
    counted.total = 4;
    forgetTotals(environmentId);
  });
  expect([old, await list()]).toEqual([3, 4]);
});

test("a total over the cap stays cached for a filter by immutable columns", async () => {
  const { counted, list, pass, environmentId } = lists({ onlyGrows: true });
  counted.total = 10_001;
  await list();
  pass(3_600_000);
  forgetTotals(environmentId);
  expect([await list(), counted.times]).toEqual([10_001, 1]);
});

test("a total over the cap is counted again for other filters", async () => {
  const { counted, list, environmentId } = lists({ onlyGrows: false });
  counted.total = 10_001;
  await list();
  counted.total = 9_999;
  forgetTotals(environmentId);
  expect(await list()).toBe(9_999);
});
