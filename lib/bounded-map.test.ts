import { expect, test } from "vitest";
import { BoundedMap } from "./bounded-map";

test("it keeps the entries that were set last, and setting a key again makes it the newest", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});

test("a value is created once while its key is kept, and again after it was dropped", () => {
  const map = new BoundedMap<string, object | null>(1);
  const [first, second] = [{}, {}];
  expect(map.getOrCreate("a", () => first)).toBe(first);
  expect(map.getOrCreate("a", () => second)).toBe(first);
  expect(map.getOrCreate("b", () => null)).toBeNull();
  expect(map.getOrCreate("a", () => second)).toBe(second);
  expect(map.size).toBe(1);
});
