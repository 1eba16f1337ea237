import { describe, expect, it } from "vitest";
import { readOptions } from "./options";

const KEY = ["--key", "sk_test_abc"];

describe("the replay's command line", () => {
  it("sends every fifth request twice and drops every tenth response by default", () => {
    expect(readOptions(["orders.csv", ...KEY, "--url", "http://localhost:4000/"])).toEqual({
      path: "orders.csv",
      apiKey: "sk_test_abc",
      baseUrl: "http://localhost:4000",
      faults: { duplicates: 0.2, drops: 0.1 },
      concurrency: 8,
      seed: 1,
    });
  });

  it.each([
    ["no file", KEY, "Name the CSV file"],
    ["two files", ["a.csv", "b.csv", ...KEY], "Name one file only"],
    ["a live key", ["a.csv", "--key", "sk_live_abc"], "This is a live key"],
    ["something that isn't a key", ["a.csv", "--key", "abc"], "starts with sk_test_"],
    ["a share above 1", ["a.csv", ...KEY, "--drops", "2"], "--drops must be a share from 0 to 1"],
    ["an empty share", ["a.csv", ...KEY, "--duplicates", ""], "--duplicates must be a share from 0 to 1"],
    ["no concurrency at all", ["a.csv", ...KEY, "--concurrency", "0"], "--concurrency must be a whole number from 1"],
    ["an invalid address", ["a.csv", ...KEY, "--url", "localhost:3000"], "--url must be an address"],
    ["an unknown option", ["a.csv", ...KEY, "--drop", "0.1"], "Unknown option '--drop'"],
  ])("refuses %s in one sentence", (_name, args, sentence) => {
    expect(() => readOptions(args)).toThrow(sentence);
  });
});
