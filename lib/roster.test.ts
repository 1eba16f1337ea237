import { expect, test } from "vitest";
import { Roster } from "./roster";

test("knows who is there, in order of arrival", () => {
  const roster = new Roster<string>();
  expect(roster.first).toBeUndefined();
  for (const name of ["a", "b", "c"]) roster.add(name);
  expect(roster.delete("a")).toBe(true);
  expect(roster.delete("a")).toBe(false);
  roster.add("d");
  expect([...roster]).toEqual(["b", "c", "d"]);
  expect([roster.first, roster.size]).toEqual(["b", 3]);
});

test("a round goes to each who was there when it began, though all leave in it", () => {
  const roster = new Roster<number>();
  for (const number of [1, 2, 3]) roster.add(number);
  const met: number[] = [];
  for (const number of roster) {
    met.push(number);
    roster.delete(number);
    roster.add(number + 10);
  }
  expect(met).toEqual([1, 2, 3]);
  expect([...roster]).toEqual([11, 12, 13]);
});
