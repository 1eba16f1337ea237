import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { UsageError } from "./cli";
import { readStatementFiles } from "./statement-files";

const folder = mkdtempSync(join(tmpdir(), "statement-files-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

test("files are read byte for byte, in order, under their own names", () => {
  const [one, two] = [file("one.csv", "ä"), file("two.csv", "")];
  const read = readStatementFiles([two, one]);
  expect(read.map(({ name, bytes }) => [name, [...bytes]])).toEqual([
    [two, []],
    [one, [0xc3, 0xa4]],
  ]);
});

test("a missing file, a folder and a 200 MB file are refused in one sentence, the last without reading it", () => {
  const large = file("large.csv", "");
  truncateSync(large, 200 * 1024 * 1024);
  const began = process.memoryUsage.rss();
  expect(() => readStatementFiles([large])).toThrow(
    new UsageError(`${large} is too large: at most 32 MB are read at once. Give a report of fewer days.`),
  );
  expect(process.memoryUsage.rss() - began).toBeLessThan(100 * 1024 * 1024);
  expect(() => readStatementFiles([join(folder, "none.csv")])).toThrow(
    new UsageError(`There is no file ${join(folder, "none.csv")}.`),
  );
  expect(() => readStatementFiles([folder])).toThrow(new UsageError(`${folder} is no file.`));
});

test("files whose total size is too large are rejected like one large file", () => {
  const halves = ["a.csv", "b.csv"].map((name) => file(name, ""));
  for (const half of halves) truncateSync(half, 20 * 1024 * 1024);
  expect(() => readStatementFiles(halves)).toThrow(UsageError);
});
