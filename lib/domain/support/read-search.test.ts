import { expect, test } from "vitest";
import { encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { readSearch } from "./search";

const kinds = (text: string) => readSearch(text).map((term) => term.by);

test.each(["payment", "transaction", "apiKey", "merchant", "environment", "plan", "clientSession"] as const)(
  "an id of a %s is nothing else, whatever its case",
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

test("four digits are a card's last ones, an amount, or text", () => {
  expect(kinds("4242")).toEqual(["last4", "amount", "text"]);
  expect(readSearch("•••• 4242")).toContainEqual({ by: "last4", last4: "4242" });
});

test("an e-mail address", () => {
  expect(kinds("anna@shop.example")).toEqual(["email", "text"]);
});

const ascending = (a: number, b: number) => a - b;
const minor = (text: string) =>
  readSearch(text).flatMap((term) => (term.by === "amount" ? term.amounts.map((amount) => amount.minor) : []));

test.each([
  ["12.34 USD", [1234]],
  ["$12.34", [1234]],
  ["usd 12.3", [1230]],
  ["$1,234.50 USD", [123450]],
  ["¥500", [500]],
  ["500 JPY", [500]],
  ["1.234 KWD", [1234]],
  // Any currency with at least as many decimals.
  ["12.34", [1234, 12340, 123400]],
  ["12", [1200, 12, 12000, 120000]],
])("%s is an amount", (text, expected) => {
  expect(minor(text).toSorted(ascending)).toEqual(expected.toSorted(ascending));
});

test.each(["12.34 XXX", "$5 EUR", "1.5 JPY", "12,34", "0", "1e5", "999999999999999", "-5"])(
  "%s is no amount",
  (text) => {
    expect(minor(text)).toEqual([]);
  },
);

test("an amount without a currency never means a currency with other decimals", () => {
  for (const term of readSearch("12.34")) {
    if (term.by !== "amount") continue;
    for (const { currencies } of term.amounts) expect(currencies).not.toContain("JPY");
  }
});

test.each(["4242 4242 4242 4242", "4111111111111111", "sk_test_abcdefghijklmnop1234"])(
  "%s is refused before it could be written down",
  (text) => {
    expect(() => readSearch(text)).toThrow(/last 4 digits/);
  },
);

test.each(["", "   ", "x".repeat(256), "a\u0000b"])("%j is refused", (text) => {
  expect(() => readSearch(text)).toThrow(/1 to 255/);
});
