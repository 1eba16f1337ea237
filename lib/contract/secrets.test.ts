import { describe, expect, test } from "vitest";
import { encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { holdsSecret, mayBecomeSecret } from "./secrets";

describe("a search contains a secret", () => {
  test.each([
    "4242424242424242",
    "4242 4242 4242 4242",
    "anna 4242-4242-4242-4242 yesterday",
    "customer:4242424242424242",
    "2026-11-20 4242 4242 4242 4242",
    "sk_test_abcdefghijklmnop1234",
    "declined sk_live_abcdefghijklmnop1234",
    "cst_2rXn8QvLw5TzKb4HyJm7PdGc9FsAe3Ru",
    "q:whsec_Q0w3bVh2c1RhZ2Y5R1lxZFNrS1pVb2pOcHhMYnJFMmM=",
    "CST_2rXn8QvLw5Tz",
    encodeId("paymentToken", newId()),
    `rcp_${"a".repeat(43)}`,
  ])("%s", (text) => {
    expect(holdsSecret(text)).toBe(true);
    expect(mayBecomeSecret(text)).toBe(true);
  });
});

describe("a search contains no secret", () => {
  test.each([
    "4242",
    "anna smith",
    "sk_test",
    "desk_live_1",
    "100012345678",
    encodeId("payment", newId()),
    newId(),
    "created:2026-11-01..2026-11-20 4242",
  ])("%s", (text) => expect(holdsSecret(text)).toBe(false));

  test("dates beside digits, even if they form a valid number", () => {
    for (let day = 1; day <= 28; day++) {
      const [from, to] = [`2026-11-${String(day).padStart(2, "0")}`, "2026-11-28"];
      for (const text of [`4242 ${from} ${to}`, `4242 created:${from}..${to}`, `${from} 4111 1,234.56`])
        expect(holdsSecret(text), text).toBe(false);
    }
  });
});

test("a search is delayed while more digits could make it a card number", () => {
  expect(mayBecomeSecret("424242424242424")).toBe(true);
  expect(mayBecomeSecret("4242 4242 4242")).toBe(true);
  expect(mayBecomeSecret("4242")).toBe(false);
  expect(mayBecomeSecret("ord-812345 2026-11-01..2026-11-20")).toBe(false);
});
