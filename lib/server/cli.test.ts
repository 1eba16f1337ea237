import { expect, test } from "vitest";
import { command, readArguments, UsageError } from "./cli";

const options = { name: { type: "string" }, json: { type: "boolean" } } as const;
const read = (...args: string[]) => readArguments(args, options, ["name"]);

test("both option syntaxes are parsed", () => {
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

test("an option with several values is repeated, and none may be empty", () => {
  const several = { file: { type: "string", multiple: true } } as const;
  expect(readArguments(["--file", "a", "--file=b"], several, [])).toEqual({ file: ["a", "b"] });
  expect(() => readArguments(["--file", "a", "--file", " "], several, [])).toThrow(new UsageError("--file is empty."));
});

test("a positional argument is refused", () => {
  expect(() => read("--name", "a", "b")).toThrow(UsageError);
});

test.each(["--help", "-h"])("%s prints the usage without opening a database", async (option) => {
  const [out, err]: [string[], string[]] = [[], []];
  const main = command({
    usage: "npm run x",
    options,
    required: ["name"],
    run: async () => 1,
  });
  const io = {
    stdout: { write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => err.push(text) },
  };
  expect(await main([option], io)).toBe(0);
  expect([out, err]).toEqual([["Usage: npm run x\n"], []]);
});
