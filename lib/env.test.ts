import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { env } from "./env";

const NAMES = [
  ...["CARDLANE_ENV", "BASE_URL", "SANDBOX_BASE_URL", "LIVE_BASE_URL", "LISTEN_ADDRESS", "CARDLANE_SECRET"],
  ...["SMTP_URL", "MAIL_OUTBOX", "PORT", "TRUSTED_PROXIES", "DATABASE_URL"],
];
const PRODUCTION = {
  CARDLANE_ENV: "production",
  BASE_URL: "https://pay.example",
  CARDLANE_SECRET: "x".repeat(40),
  SMTP_URL: "smtps://mail.example",
};

function set(values: Record<string, string>): void {
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value);
}
beforeEach(() => set(Object.fromEntries(NAMES.map((name) => [name, ""]))));
afterEach(() => void vi.unstubAllEnvs());

describe("one setting distinguishes production from sandbox", () => {
  test("a service that only its own machine can reach is a sandbox by default", () => {
    for (const address of ["", "http://localhost:8080", "http://127.0.0.1", "http://[::1]:3000"]) {
      set({ BASE_URL: address });
      env.check();
      expect([env.isProduction, env.isOneMachine], address).toEqual([false, true]);
    }
  });

  test.each<Record<string, string>>([
    { BASE_URL: "https://pay.example" },
    { BASE_URL: "http://192.168.1.5:3000" },
    { BASE_URL: "http://localhost.pay.example" },
    { LIVE_BASE_URL: "https://live.example" },
    { LISTEN_ADDRESS: "0.0.0.0" },
    { LISTEN_ADDRESS: "::" },
    { LISTEN_ADDRESS: "10.0.0.1" },
  ])("a reachable service requires the setting: %j", (values) => {
    set(values);
    expect(() => env.check()).toThrow(/say what this is\. Set CARDLANE_ENV=production, or CARDLANE_ENV=sandbox/);
    set({ CARDLANE_ENV: "sandbox" });
    env.check();
    expect(env.isProduction).toBe(false);
  });

  test("production starts with all that it needs", () => {
    set(PRODUCTION);
    env.check();
    expect([env.isProduction, env.listenAddress]).toEqual([true, "127.0.0.1"]);
  });

  test.each<[Record<string, string>, RegExp]>([
    [{ BASE_URL: "" }, /needs BASE_URL/],
    [{ BASE_URL: "http://pay.example" }, /needs an https address in BASE_URL/],
    [{ BASE_URL: "http://localhost" }, /needs an https address in BASE_URL/],
    [{ SANDBOX_BASE_URL: "http://sandbox.example" }, /https address in SANDBOX_BASE_URL/],
    [{ LIVE_BASE_URL: "HTTP://live.example" }, /https address in LIVE_BASE_URL/],
    [{ CARDLANE_SECRET: "" }, /needs CARDLANE_SECRET/],
    [{ SMTP_URL: "" }, /needs SMTP_URL/],
    [{ MAIL_OUTBOX: "1" }, /has no outbox/],
  ])("and without one of them ends with one sentence: %j", (values, sentence) => {
    set({ ...PRODUCTION, ...values });
    expect(() => env.check()).toThrow(sentence);
  });

  test.each([
    ["CARDLANE_ENV", "prod"],
    ["CARDLANE_ENV", "Production"],
    ["BASE_URL", "pay.example"],
    ["BASE_URL", "ftp://pay.example"],
    ["BASE_URL", "https://user@pay.example"],
    ["BASE_URL", "https://pay.example/cardlane"],
    ["BASE_URL", "https://pay.example?x"],
    ["LISTEN_ADDRESS", "localhost"],
    ["LISTEN_ADDRESS", "0.0.0.0:80"],
    ["MAIL_OUTBOX", "yes"],
  ])("%s=%s is refused by its name", (name, value) => {
    set({ [name]: value });
    expect(() => env.check()).toThrow(new RegExp(`^${name} must`));
  });
});

const READERS = [
  "lib/env.ts",
  "lib/processor/stripe/credentials.ts",
  "lib/processor/adyen/credentials.ts",
  "e2e/fixtures/browser.ts",
];

test(".env.example names the settings that are read, and no others", () => {
  const described = [...readFileSync(".env.example", "utf8").matchAll(/^#([A-Z][A-Z\d_]*)=/gm)].map(([, name]) => name);
  const code = READERS.map((file) => readFileSync(file, "utf8")).join("\n");
  const calls = /(?:string|integer|yesOrNo|webAddress)\("([A-Z][A-Z\d_]*)"|setting: "([A-Z][A-Z\d_]*)"|env\.(E2E_\w+)/g;
  const read = [...code.matchAll(calls)].map(([, byName, ofProcessor, ofTests]) => byName ?? ofProcessor ?? ofTests);
  expect(new Set(described)).toEqual(new Set(read));
});
