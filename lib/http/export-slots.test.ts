import { expect, test } from "vitest";
import { takeExportSlot } from "./export-slots";

test("two exports run at once, of two merchants: none can starve the others", () => {
  const first = takeExportSlot("a");
  expect(() => takeExportSlot("a")).toThrow(/your account/);
  const second = takeExportSlot("b");
  expect(() => takeExportSlot("c")).toThrow(/Other exports/);
  first();
  const third = takeExportSlot("c");
  // Given back twice, it is one place.
  first();
  expect(() => takeExportSlot("a")).toThrow(/Other exports/);
  second();
  takeExportSlot("a")();
  third();
});
