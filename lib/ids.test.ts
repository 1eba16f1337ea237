import { describe, expect, test } from "vitest";
import { firstIdAt, idAt, idTime, newId } from "./ids";

describe("ids", () => {
  test("made one after the other are in order, also within a millisecond", () => {
    const ids = Array.from({ length: 5_000 }, newId);
    expect([...ids].sort()).toEqual(ids);
  });

  test("carry the moment they were made, which bounds the ids of that millisecond", () => {
    const time = new Date("2024-02-29T12:34:56.789Z");
    const id = idAt(time);
    expect(idTime(id)).toBe(time.toISOString());
    expect(firstIdAt(time) <= id && id < firstIdAt(new Date(time.getTime() + 1))).toBe(true);
  });
});
