import { expect, test } from "vitest";
import { readArguments, UsageError } from "./cli";

const options = { name: { type: "string" }, json: { type: "boolean" } } as const;
const read = (...args: string[]) => readArguments(args, options, ["name"]);

test("options are read in both spellings", () => {
  expect(read("--name", "A shop", "--json")).toEqual({ name: "A shop", json: true });
  expect(read("--name=A shop")).toEqual({ name: "A shop" });
});

test.each([
  ["a missing option", [], "--name is missing."],
  ["an empty option", ["--name", " "], "--name is empty."],
  ["a repeated option", ["--name", "a", "--name", "b"], "--name is given twice."],
  ["an unknown option", ["--nmae", "a"], "Unknown option '--nmae'."],
  ["an option without its value", ["--name"], "Option '--name <value>' argument missing."],
])("%s is refused in one sentence", (_, args, sentence) => {
  expect(() => read(...args)).toThrow(new UsageError(sentence));
});

test("a stray word is refused", () => {
  expect(() => read("--name", "a", "b")).toThrow(UsageError);
});
