import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test, vi } from "vitest";

const disk = vi.hoisted(() => ({ full: false, onWrite: () => {} }));
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const checked =
    <T extends (...args: never[]) => unknown>(write: T) =>
    (...args: Parameters<T>) => {
      disk.onWrite();
      if (disk.full) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      return write(...args);
    };
  return { ...fs, writeSync: checked(fs.writeSync), fsyncSync: checked(fs.fsyncSync) };
});
// Test files share modules; without this, the first file would decide whether the mock applies.
vi.resetModules();
afterAll(() => vi.resetModules());
const { createPrivateFile, replacePrivateFile } = await import("./private-file");

const folder = mkdtempSync(join(tmpdir(), "cardlane-private-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => Object.assign(disk, { full: false, onWrite: () => {} }));

test("a failed write leaves nothing behind, and the next one creates the file", () => {
  const file = join(folder, "secret");
  disk.full = true;
  expect(() => createPrivateFile(file, "text")).toThrow(/space/);
  expect(readdirSync(folder)).toEqual([]);
  disk.full = false;
  expect(createPrivateFile(file, "text")).toBe(true);
});

test("other instances never see a partial file, and the first writer's file stays", () => {
  const file = join(folder, "one");
  disk.onWrite = () => {
    if (existsSync(file)) return;
    disk.onWrite = () => {};
    createPrivateFile(file, "the first");
  };
  expect(createPrivateFile(file, "the second")).toBe(false);
  expect(readFileSync(file, "utf8")).toBe("the first");
});

test("a failed replacement keeps the old file; both are readable by their owner only", () => {
  const file = join(folder, "two");
  replacePrivateFile(file, "old");
  disk.full = true;
  expect(() => replacePrivateFile(file, "new")).toThrow(/space/);
  expect(readFileSync(file, "utf8")).toBe("old");
  disk.full = false;
  replacePrivateFile(file, "new");
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
