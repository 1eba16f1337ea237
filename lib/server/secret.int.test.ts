import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { agreeOnSecret } from "@/lib/domain/secret-keys";
import { createSecret } from "@/lib/secret";
import { resolveSecret, type SecretOptions } from "./secret";

const { db } = await testDatabase({ own: true });
const folder = mkdtempSync(join(tmpdir(), "cardlane-secret-"));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const VALUE = "a secret with more than thirty-two characters";
let dataDir = "";
let config = "";
beforeEach(async () => {
  await db.sql`truncate service_settings`;
  const home = mkdtempSync(join(folder, "home-"));
  [dataDir, config] = [join(home, "data"), join(home, "config")];
  mkdirSync(dataDir);
  vi.stubEnv("XDG_CONFIG_HOME", config);
});

const external = (options: Partial<SecretOptions> = {}) =>
  resolveSecret({ configured: null, previous: null, file: null, embedded: false, dataDir, orm: db.orm, ...options });
const embedded = (options: Partial<SecretOptions> = {}) => external({ embedded: true, ...options });

test("the embedded database's secret is created once, owner-only, outside the data folder", async () => {
  const made = await Promise.all(Array.from({ length: 5 }, () => embedded()));
  expect(new Set(made.map(({ value }) => value)).size).toBe(1);
  const { file, value } = made[0] as { file: string; value: string };
  expect(value).toMatch(/^[0-9a-f]{64}$/);
  expect(file.startsWith(join(config, "cardlane"))).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o077).toBe(0);
  expect(readdirSync(dataDir)).toEqual([]);
  expect(readdirSync(dirname(file))).toEqual(["secret"]);
});

test.skipIf(process.getuid?.() === 0 && process.platform !== "linux")(
  "where nothing can be kept, one sentence names the settings, and the file in the way stays as it is",
  async () => {
    const other = join(dataDir, "file");
    writeFileSync(other, VALUE);
    // Not even root can create a folder below a file or in /proc.
    for (const place of [join(other, "below"), "/proc/cardlane"]) {
      vi.stubEnv("XDG_CONFIG_HOME", place);
      await expect(embedded()).rejects.toThrow(/cannot be kept .* CARDLANE_SECRET_FILE .* or CARDLANE_SECRET\.$/);
    }
    expect(readFileSync(other, "utf8")).toBe(VALUE);
  },
);

test("a secret in the data folder is refused, however its path resolves there", async () => {
  symlinkSync(dataDir, join(folder, "link"));
  for (const file of [join(dataDir, "s"), join(dataDir, "a/../b/s"), join(folder, "link", "s")]) {
    await expect(external({ file })).rejects.toThrow(/must not lie in the data folder/);
  }
});

test("a secret in the data folder is refused when the file itself is a link to it", async () => {
  writeFileSync(join(dataDir, "kept"), VALUE);
  const file = join(dirname(dataDir), "linked");
  symlinkSync(join(dataDir, "kept"), file);
  await expect(external({ file })).rejects.toThrow(/must not lie in the data folder/);
});

test("a path without a usable secret gives one sentence that names the setting", async () => {
  const taken = join(dirname(dataDir), "taken");
  writeFileSync(taken, VALUE);
  for (const [file, sentence] of [
    [config, /is a folder: set CARDLANE_SECRET_FILE to a file/],
    [tmpdir(), /is a folder/],
    [join(taken, "secret"), /cannot be kept in .*: set CARDLANE_SECRET_FILE/],
  ] as const) {
    mkdirSync(config, { recursive: true });
    await expect(external({ file })).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringMatching(sentence),
    });
  }
});

test("a damaged or missing secret stops the start, because a new one couldn't decrypt stored data", async () => {
  const { file, value } = await embedded();
  await agreeOnSecret(db.orm, createSecret(value));
  rmSync(file ?? "");
  await expect(embedded()).rejects.toThrow(/is not in .*secret: copy that file/);
  writeFileSync(file ?? "", "short");
  chmodSync(file ?? "", 0o600);
  await expect(embedded()).rejects.toThrow(/incomplete/);
});

test("an external database requires a configured secret", async () => {
  await expect(external()).rejects.toThrow(/needs CARDLANE_SECRET, the same for every process/);
  await expect(external({ configured: "short" })).rejects.toThrow(/at least 32/);
  await expect(external({ configured: VALUE, previous: "short" })).rejects.toThrow(/at least 32/);
  await expect(external({ configured: VALUE, file: "x" })).rejects.toThrow(/both set/);
  const previous = `${VALUE} 1\n${VALUE} 2`;
  expect(await external({ configured: VALUE, previous })).toEqual({
    value: VALUE,
    file: null,
    previous: previous.split("\n"),
  });
});
