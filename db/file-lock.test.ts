import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isAbandoned, withFileLock } from "./file-lock";

const folder = mkdtempSync(join(tmpdir(), "cardlane-lock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const deadPid = () => Number(spawnSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).stdout);

test("only one of many waiters holds the lock at a time", async () => {
  let inside = 0;
  let maxInside = 0;
  const work = async () => {
    maxInside = Math.max(maxInside, ++inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
  };
  await Promise.all(Array.from({ length: 8 }, () => withFileLock(join(folder, "one.lock"), work)));
  expect(maxInside).toBe(1);
});

test("the lock is released when the work fails", async () => {
  const file = join(folder, "fail.lock");
  await expect(withFileLock(file, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(existsSync(file)).toBe(false);
});

test("the lock of a killed process is taken over", async () => {
  const file = join(folder, "dead.lock");
  writeFileSync(file, `${deadPid()} ${hostname()} mark`);
  expect(await withFileLock(file, async () => "done")).toBe("done");
});

test("a holder counts as alive while its process exists, unless it is silent for too long", () => {
  expect(isAbandoned(`${process.pid} ${hostname()} mark`, 5_000)).toBe(false);
  expect(isAbandoned(`${process.pid} ${hostname()} mark`, 60_000)).toBe(true);
  expect(isAbandoned("1 another-machine mark", 5_000)).toBe(false);
});
