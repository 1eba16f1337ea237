import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { prepareDataFolder } from "./data-folder";

const parent = mkdtempSync(join(tmpdir(), "cardlane-folder-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test("the data folder is created with its parents, accessible to its owner only", () => {
  const folder = prepareDataFolder(join(parent, "a", "b"));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(prepareDataFolder(folder)).toBe(folder);
});

test("a folder that cannot be created is refused in one sentence", () => {
  writeFileSync(join(parent, "file"), "");
  expect(() => prepareDataFolder(join(parent, "file"))).toThrow(/cannot be written to \(ENOTDIR\)/);
  expect(() => prepareDataFolder(join(parent, "file", "x"))).toThrow(/cannot be written to \(ENOTDIR\)/);
});
