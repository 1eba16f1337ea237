import { expect, test } from "vitest";
import { dunningText } from "./settings-forms";

test.each([
  [[3, 5, 7], "Tried again 3, 8 and 15 days after the first attempt."],
  [[1, 1], "Tried again 1 and 2 days after the first attempt."],
  [[60], "Tried again 60 days after the first attempt."],
  [[1], "Tried again 1 day after the first attempt."],
])("days between attempts (%j) read as days after the first", (steps, text) => {
  expect(dunningText(steps)).toBe(text);
});
