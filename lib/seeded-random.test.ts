import { expect, test } from "vitest";
import { seededRandom } from "./seeded-random";

test("the same seed yields the same numbers, and another seed others, spread over 0 to 1", () => {
  const take = (seed: number | string) => Array.from({ length: 2_000 }, seededRandom(seed));
  expect(take("1 a")).toEqual(take("1 a"));
  expect(take("1 a")).not.toEqual(take("2 a"));
  expect(take("1 a")).not.toEqual(take("1 b"));
  expect(take(1)).not.toEqual(take(2));
  expect(take("1 a").filter((value) => value < 0.2).length / 2_000).toBeCloseTo(0.2, 1);
});
