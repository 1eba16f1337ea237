import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { restoreSymlinks } from "./embedded-binaries";

const folder = mkdtempSync(join(tmpdir(), "cardlane-links-"));
const lib = join(folder, "native", "lib");
mkdirSync(lib, { recursive: true });
writeFileSync(join(lib, "libpq.so.5.18"), "library");
writeFileSync(
  join(folder, "native", "pg-symlinks.json"),
  JSON.stringify([
    { source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so" },
    { source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" },
  ]),
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("symbolic links that a blocked install script left out are created once", () => {
  expect(restoreSymlinks(folder)).toBe(2);
  expect(readFileSync(join(lib, "libpq.so.5"), "utf8")).toBe("library");
  expect(restoreSymlinks(folder)).toBe(0);
});

test("the links are relative, so that the folder can be moved", () => {
  expect(lstatSync(join(lib, "libpq.so")).isSymbolicLink()).toBe(true);
  expect(readlinkSync(join(lib, "libpq.so"))).toBe("libpq.so.5.18");
});

test("a package without links needs no step", () => {
  expect(restoreSymlinks(join(folder, "native"))).toBe(0);
});
