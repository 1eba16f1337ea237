import { describe, expect, test } from "vitest";
import { encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { readTransactionSearch } from "./find-transactions";
import { readSearch } from "./search";

const kinds = (text: string) => readSearch(text).map((term) => term.by);

test.each(["payment", "transaction", "apiKey", "merchant", "environment", "plan", "clientSession"] as const)(
  "an id of a %s matches nothing else, in any case",
  (kind) => {
    const uuid = newId();
    const id = encodeId(kind, uuid);
    expect(readSearch(` ${id} `)).toEqual([{ by: "id", kind, uuid }]);
    expect(readSearch(id.toUpperCase())).toEqual([{ by: "id", kind, uuid }]);
  },
);

test("a UUID is an operation's id, or an idempotency key", () => {
  expect(kinds("0198C000-0000-7000-8000-000000000001")).toEqual(["operation", "text"]);
});

test("an e-mail address is also a user's", () => {
  expect(kinds("anna@shop.example")).toEqual(["email", "text"]);
});

describe("a text searches transactions for", () => {
  test.each<[text: string, filters: object]>([
    ["4242", { q: "4242" }],
    ["•••• 4242", { q: "4242" }],
    ["12.34", { q: "12.34" }],
    ["1,234.50", { q: "1,234.50" }],
    ["anna@shop.example", { customer_email: "anna@shop.example" }],
    ["anna smith", { q: "anna smith" }],
    ["$12.34", { amount: { gte: 1234, lte: 1234, unit: "USD" } }],
    ["usd 12.3", { amount: { gte: 1230, lte: 1230, unit: "USD" } }],
    ["1.2340 KWD", { amount: { gte: 1234, lte: 1234, unit: "KWD" } }],
    ["visa declined", { card_brand: ["visa"], status: ["DECLINED"] }],
    [
      "4242 about $20 yesterday",
      { card_last4: "4242", amount: { gte: 1800, lte: 2200, unit: "USD" }, created_at: { preset: "yesterday" } },
    ],
  ])("%s", (text, filters) => {
    expect(readTransactionSearch(text)).toEqual({ filters, refundedAgain: false, problems: [] });
  });

  test.each<[text: string, filters: object]>([
    ["refunded twice", {}],
    ["refunded twice.", {}],
    ["visa. Refunded twice!", { card_brand: ["visa"] }],
    ["refunded twice. 4242.", { card_last4: "4242" }],
    ["refunded twice, ", {}],
    ["visa, refunded twice, declined", { card_brand: ["visa"], status: ["DECLINED"] }],
    ["refunds:>1 anna", { q: "anna" }],
    ["4242 refunded more than once", { card_last4: "4242" }],
    [
      "refunded twice, 4242, about 20 dollars, yesterday",
      { card_last4: "4242", amount: { gte: 1800, lte: 2200, unit: "USD" }, created_at: { preset: "yesterday" } },
    ],
  ])("more than one refund: %s", (text, filters) => {
    expect(readTransactionSearch(text)).toEqual({ filters, refundedAgain: true, problems: [] });
  });

  test("and reports what it does not understand", () => {
    expect(readTransactionSearch("visa amount:lots")).toMatchObject({
      filters: { card_brand: ["visa"] },
      problems: [expect.stringContaining("amount:lots")],
    });
    expect(readTransactionSearch("$50 currency:jpy")?.problems).toEqual([
      "The amount is in USD, so only USD is shown.",
    ]);
    expect(readTransactionSearch(`${encodeId("payment", newId())} visa`)).toMatchObject({
      filters: {},
      problems: [expect.stringContaining("alone")],
    });
  });
});

test("a day next to the last 4 digits is no card number", () => {
  for (let day = 1; day <= 28; day++)
    expect(kinds(`4242 2026-11-${String(day).padStart(2, "0")} 2026-11-28`)).toEqual(["text"]);
});

test.each([
  "4242 4242 4242 4242",
  "4111111111111111",
  "refunded twice 4111 1111 1111 1111 yesterday",
  "sk_test_abcdefghijklmnop1234",
  "anna whsec_Q0w3bVh2c1RhZ2Y5R1lxZFNrS1pVb2pOcHhMYnJFMmM=",
  "cst_2rXn8QvLw5TzKb4HyJm7PdGc9FsAe3Ru",
  encodeId("paymentToken", newId()),
])("%s is refused before it could be recorded", (text) => {
  expect(() => readSearch(text)).toThrow(/last 4 digits/);
});

test.each(["", "   ", "x".repeat(256), "a\u0000b"])("%j is refused", (text) => {
  expect(() => readSearch(text)).toThrow(/1 to 255/);
});
