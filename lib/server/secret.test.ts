import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { secretFile } from "./secret";

const dataDir = mkdtempSync(join(tmpdir(), "cardlane-secret-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test("the secret is made once, is long, and only its owner can read it", () => {
  const secret = secretFile(dataDir);
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(secretFile(dataDir)).toBe(secret);
  expect(statSync(join(dataDir, "secret")).mode & 0o777).toBe(0o600);
});

test("a damaged secret stops the start: a new one would no longer fit what is stored", () => {
  writeFileSync(join(dataDir, "secret"), "");
  expect(() => secretFile(dataDir)).toThrow(/incomplete/);
});
