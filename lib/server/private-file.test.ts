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
// Test files share their modules: without this, whichever file came first would decide whether the disk can be full.
vi.resetModules();
afterAll(() => vi.resetModules());
const { createPrivateFile, replacePrivateFile } = await import("./private-file");

const folder = mkdtempSync(join(tmpdir(), "cardlane-private-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => Object.assign(disk, { full: false, onWrite: () => {} }));

test("a write that fails leaves nothing behind: the next one makes the file", () => {
  const file = join(folder, "secret");
  disk.full = true;
  expect(() => createPrivateFile(file, "text")).toThrow(/space/);
  expect(readdirSync(folder)).toEqual([]);
  disk.full = false;
  expect(createPrivateFile(file, "text")).toBe(true);
});

test("another instance never sees a part of the file, and the first one's stays", () => {
  const file = join(folder, "one");
  disk.onWrite = () => {
    if (existsSync(file)) return;
    disk.onWrite = () => {};
    createPrivateFile(file, "the first");
  };
  expect(createPrivateFile(file, "the second")).toBe(false);
  expect(readFileSync(file, "utf8")).toBe("the first");
});

test("replacing keeps the old file when it fails; both are their owner's alone", () => {
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
