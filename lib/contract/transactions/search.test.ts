import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FIRST_QUERY, formatQuery, parseQuery } from "@/lib/contract/transactions/query";
import { parseSearch, withSearch } from "./search";

const usd = (gte: number | null, lte: number | null) => ({ gte, lte, unit: "USD" });
const eur = (gte: number | null, lte: number | null) => ({ gte, lte, unit: "EUR" });
const days = (from: string | null, to: string | null) => ({ from, to });

describe("the search box understands", () => {
  test.each<[text: string, filters: object]>([
    ["card 4242", { card_last4: "4242" }],
    ["visa ending in 0005", { card_brand: ["visa"], card_last4: "0005" }],
    ["•••• 4242", { card_last4: "4242" }],
    ["anna@example.com", { customer_email: "anna@example.com" }],
    ["Anna+Test@Example.co.uk", { customer_email: "Anna+Test@Example.co.uk" }],
    ["$50", { amount: usd(5000, 5000) }],
    ["49.90", { amount: usd(4990, 4990) }],
    ["$1,234.56", { amount: usd(123456, 123456) }],
    ["€20", { amount: { gte: 2000, lte: 2000, unit: "EUR" } }],
    ["¥5000", { amount: { gte: 5000, lte: 5000, unit: "JPY" } }],
    ["1.25kwd", { amount: { gte: 1250, lte: 1250, unit: "KWD" } }],
    ["49,90", { amount: usd(4990, 4990) }],
    ["49,9 €", { amount: eur(4990, 4990) }],
    ["50 €", { amount: eur(5000, 5000) }],
    ["50€", { amount: eur(5000, 5000) }],
    ["€ 50", { amount: eur(5000, 5000) }],
    ["1 500,00 €", { amount: eur(150_000, 150_000) }],
    ["1'500.00 eur", { amount: eur(150_000, 150_000) }],
    ["€50 to €60", { amount: eur(5000, 6000) }],
    ["50 to 60 euros", { amount: eur(5000, 6000) }],
    ["€50–€60", { amount: eur(5000, 6000) }],
    ["50-60 eur", { amount: eur(5000, 6000) }],
    ["€50 - 60", { amount: eur(5000, 6000) }],
    ["between 50 and 60 dollars", { amount: usd(5000, 6000) }],
    ["from $50 to $60 yesterday", { amount: usd(5000, 6000), created_at: { preset: "yesterday" } }],
    ["> 50 dollars", { amount: usd(5001, null) }],
    [">50 dollars", { amount: usd(5001, null) }],
    ["> $50", { amount: usd(5001, null) }],
    [">= 49,90 €", { amount: eur(4990, null) }],
    ["over 49,90", { amount: usd(4991, null) }],
    ["refund yesterday", { type: ["REFUND"], created_at: { preset: "yesterday" } }],
    ["refunds over 20 eur", { type: ["REFUND"], amount: eur(2001, null) }],
    [">50", { amount: usd(5001, null) }],
    ["<=$20", { amount: usd(null, 2000) }],
    ["over 50", { amount: usd(5001, null) }],
    ["over $50.00", { amount: usd(5001, null) }],
    ["about $20", { amount: usd(1800, 2200) }],
    ["~20", { amount: usd(1800, 2200) }],
    ["eur 20", { amount: { gte: 2000, lte: 2000, unit: "EUR" } }],
    ["declined, visa, over $50", { status: ["DECLINED"], card_brand: ["visa"], amount: usd(5001, null) }],
    ["at least 20 eur", { amount: { gte: 2000, lte: null, unit: "EUR" } }],
    ["less than 1000 dollars", { amount: usd(null, 99999) }],
    ["plan_01h455vb4pex5vsknk084sn02q", { plan_id: "plan_01h455vb4pex5vsknk084sn02q" }],
    ["declined", { status: ["DECLINED"] }],
    ["Partially refunded", { status: ["PARTIALLY_REFUNDED"] }],
    ["refunds", { type: ["REFUND"] }],
    ["visa", { card_brand: ["visa"] }],
    ["american express", { card_brand: ["amex"] }],
    ["failed declined visa mc", { status: ["DECLINED", "FAILED"], card_brand: ["visa", "mastercard"] }],
    ["insufficient funds", { decline_code: ["insufficient_funds"] }],
    ["last week", { created_at: { preset: "last-week" } }],
    ["last 7 days", { created_at: { preset: "last-7-days" } }],
    ["today", { created_at: { preset: "today" } }],
    ["2026-11-20", { created_at: days("2026-11-20", "2026-11-20") }],
    ["sub_01h455vb4pex5vsknk084sn02q", { subscription_id: "sub_01h455vb4pex5vsknk084sn02q" }],
    [
      "last week's declined Visa payments over 50 dollars",
      { created_at: { preset: "last-week" }, status: ["DECLINED"], card_brand: ["visa"], amount: usd(5001, null) },
    ],
  ])("plain words: %s", (text, filters) => {
    expect(parseSearch(text)).toEqual({ filters, jump: null, problems: [] });
  });

  test.each<[text: string, filters: object]>([
    ["status:declined", { status: ["DECLINED"] }],
    ["status:failed,declined", { status: ["DECLINED", "FAILED"] }],
    ["status:failed status:Declined", { status: ["DECLINED", "FAILED"] }],
    ["STATUS:partially-refunded", { status: ["PARTIALLY_REFUNDED"] }],
    ["brand:visa,amex", { card_brand: ["visa", "amex"] }],
    ["amount:50", { amount: usd(5000, 5000) }],
    ["amount:>50", { amount: usd(5001, null) }],
    ["amount:>=50", { amount: usd(5000, null) }],
    ["amount:<50", { amount: usd(null, 4999) }],
    ["amount:20..50", { amount: usd(2000, 5000) }],
    ["amount:20..", { amount: usd(2000, null) }],
    ["amount:..49.9", { amount: usd(null, 4990) }],
    ["amount:>=20 amount:<=50", { amount: usd(2000, 5000) }],
    ["amount:>5000jpy", { amount: { gte: 5001, lte: null, unit: "JPY" } }],
    ["amount:>=1999minor", { amount: { gte: 1999, lte: null, unit: "minor" } }],
    ["email:anna@example.com", { customer_email: "anna@example.com" }],
    ["customer:c_17", { customer_id: "c_17" }],
    ['customer:"anna smith"', { customer_id: "anna smith" }],
    ["subscription:sub_1", { subscription_id: "sub_1" }],
    ["last4:4242", { card_last4: "4242" }],
    ["plan:plan_1", { plan_id: "plan_1" }],
    ["currency:usd,EUR", { currency: ["EUR", "USD"] }],
    ["type:refund", { type: ["REFUND"] }],
    ["decline:lost-card,expired_card", { decline_code: ["lost_card", "expired_card"] }],
    ["captured:yesterday created:today", { captured_at: { preset: "yesterday" }, created_at: { preset: "today" } }],
    ["created:last-week", { created_at: { preset: "last-week" } }],
    ["created:last_7_days", { created_at: { preset: "last-7-days" } }],
    ["created:2026-11-20", { created_at: days("2026-11-20", "2026-11-20") }],
    ["created:>2026-11-01", { created_at: days("2026-11-02", null) }],
    ["created:>=2026-11-01", { created_at: days("2026-11-01", null) }],
    ["created:<2026-11-01", { created_at: days(null, "2026-10-31") }],
    ["created:<=2026-11-01", { created_at: days(null, "2026-11-01") }],
    ["created:>=2026-11-01 created:<2026-11-10", { created_at: days("2026-11-01", "2026-11-09") }],
    ["created:2026-11-01..2026-11-09", { created_at: days("2026-11-01", "2026-11-09") }],
    ["created:>2026-11-01T09:30:00Z", { created_at: days("2026-11-01T09:30:00.001Z", null) }],
    [
      "status:declined brand:visa amount:>50 created:last-week",
      { status: ["DECLINED"], card_brand: ["visa"], amount: usd(5001, null), created_at: { preset: "last-week" } },
    ],
  ])("operators: %s", (text, filters) => {
    expect(parseSearch(text)).toEqual({ filters, jump: null, problems: [] });
  });

  test.each(["pay_01h455vb4pex5vsknk084sn02q", " TXN_01h455vb4pex5vsknk084sn02q ", "inv_01h455vb4pex5vsknk084sn02q"])(
    "an id to open: %s",
    (text) => {
      expect(parseSearch(text)).toEqual({ filters: {}, jump: text.trim().toLowerCase(), problems: [] });
    },
  );
});

describe("unrecognized words become a text search, and the filters are kept", () => {
  test.each<[text: string, q: string]>([
    ["visa nonsense", "nonsense"],
    ["gold visa Müller", "gold Müller"],
    ["visa description:gold", "description:gold"],
    ["visa https://shop.example/1", "https://shop.example/1"],
    ["visa 42", "42"],
    ["visa 123456", "123456"],
    ["visa pay_01h455", "pay_01h455"],
    ["visa cs_01h455vb4pex5vsknk084sn02q", "cs_01h455vb4pex5vsknk084sn02q"],
    ["visa over", "over"],
    ["visa $1.999", "$1.999"],
    ["visa !!!", "!!!"],
    ['visa "anna smith"', "anna smith"],
    ["visa q:gold anna in paris", "gold anna paris"],
  ])("%s", (text, q) => {
    expect(parseSearch(text)).toEqual({ filters: { card_brand: ["visa"], q }, jump: null, problems: [] });
  });

  test("filler words are searched for only when there are no other words", () => {
    expect(parseSearch("card").filters).toEqual({ q: "card" });
    expect(parseSearch("all visa cards").filters).toEqual({ card_brand: ["visa"] });
  });

  test("only the first eight words are searched for, and a problem reports it", () => {
    const { filters, problems } = parseSearch("a b c d e f g h i");
    expect(filters).toEqual({ q: "a b c d e f g h" });
    expect(problems).toMatchObject([{ message: "Only the first 8 words are searched for." }]);
  });

  test("new words are added to the existing ones, or replace them past the limit", () => {
    expect(withSearch({ q: "anna" }, parseSearch("smith visa"))).toEqual({ q: "anna smith", card_brand: ["visa"] });
    expect(withSearch({ q: "a b c d e f g h" }, parseSearch("smith"))).toEqual({ q: "smith" });
    expect(withSearch({ q: "anna", card_last4: "4242" }, parseSearch("visa"))).toEqual({
      q: "anna",
      card_last4: "4242",
      card_brand: ["visa"],
    });
  });
});

test.each(["card 4242 card 1881", "a@b.example c@d.example", "$20 $30", "over $10 under 5000 yen"])(
  "“%s” has two values where one is allowed, and reports a problem",
  (text) => expect(parseSearch(text).problems).toHaveLength(1),
);

test.each(["all 4242", "4242 try", "top 4242", "order 4242", "+1 555 4242"])(
  "“%s” has four digits, which may be a card's or an order's, and a hint offers the card",
  (text) => {
    const { filters, hint } = parseSearch(text);
    expect(filters.q).toContain("4242");
    expect(filters).not.toHaveProperty("amount");
    expect(hint).toMatchObject({ word: "4242", choices: [{ text: "last4:4242" }] });
    expect(parseSearch(hint?.choices[0]?.text ?? "").filters).toEqual({ card_last4: "4242" });
  },
);

test.each<[text: string, word: string, choices: string[]]>([
  ["visa over $1,500", "over $1,500", ["over $1500.00", "over $1.50"]],
  ["1.500 kwd visa", "1.500 kwd", ["1500.000 kwd", "1.5 kwd"]],
  ["visa amount:>1.234kwd", "amount:>1.234kwd", ["amount:>1234.000kwd", "amount:>1.2340kwd"]],
  ["visa 20 to 1,500 eur", "20 to 1,500 eur", ["20 to 1500.00 eur", "20 to 1.50 eur"]],
])("%s: an ambiguous amount offers choices, and each choice is understood", (text, word, choices) => {
  const { filters, problems } = parseSearch(text);
  expect(filters).toEqual({ card_brand: ["visa"] });
  expect(problems).toMatchObject([{ word, choices: choices.map((choice) => ({ text: choice })) }]);
  for (const choice of choices) expect(parseSearch(text.replace(word, choice)).problems).toEqual([]);
});

describe("an amount and a currency", () => {
  test("conflict in one text: the amount wins, and a problem reports it", () => {
    for (const text of ["$50 currency:jpy", "currency:jpy $50", "currency:jpy,usd over $50"]) {
      const { filters, problems } = parseSearch(text);
      expect([filters.currency, filters.amount?.unit]).toEqual([["USD"], "USD"]);
      expect(problems).toMatchObject([{ word: "", message: "The amount is in USD, so only USD is shown." }]);
    }
    expect(parseSearch(">=50 currency:jpy").filters).toMatchObject({
      amount: { gte: 50, lte: null, unit: "JPY" },
      currency: ["JPY"],
    });
    expect(parseSearch("currency:jpy ¥50").problems).toEqual([]);
  });

  test("conflict with an existing filter: the typed one wins", () => {
    expect(withSearch({ amount: usd(5_000, null) }, parseSearch("currency:jpy"))).toEqual({
      amount: { gte: 50, lte: null, unit: "JPY" },
      currency: ["JPY"],
    });
    expect(withSearch({ currency: ["JPY"] }, parseSearch("over $50", "JPY"))).toEqual({
      amount: usd(5_001, null),
      currency: ["USD"],
    });
    expect(withSearch({ currency: ["USD"] }, parseSearch("over $50"))).toEqual({
      amount: usd(5_001, null),
      currency: ["USD"],
    });
  });
});

describe("a secret", () => {
  test.each(["4242 4242 4242 4242 visa", "anna cst_2rXn8QvLw5TzKb4HyJm7PdGc9FsAe3Ru", "q:whsec_Q0w3bVh2c1Rh"])(
    "is rejected, and neither searched for nor echoed: %s",
    (text) => {
      const { filters, jump, problems, waits } = parseSearch(text);
      expect({ filters, jump, waits }).toEqual({ filters: {}, jump: null, waits: undefined });
      expect(problems).toMatchObject([{ word: "", message: expect.stringContaining("last 4 digits") }]);
    },
  );

  test("is not searched for while it is being typed", () => {
    expect(parseSearch("42424242424")).toMatchObject({ waits: true, filters: { q: "42424242424" } });
    expect(parseSearch("4242").waits).toBeUndefined();
  });
});

test.each(["declined, visa, yesterday.", "Visa declined yesterday!", "yesterday. declined visa?"])(
  "sentence punctuation is not part of a word: %s",
  (text) =>
    expect(parseSearch(text)).toEqual({
      filters: { status: ["DECLINED"], card_brand: ["visa"], created_at: { preset: "yesterday" } },
      jump: null,
      problems: [],
    }),
);

describe("an invalid operator is reported, and the rest is kept", () => {
  test.each<[text: string, word: string, incomplete: boolean]>([
    ["visa status:", "status:", true],
    ["visa status:decl", "status:decl", true],
    ["visa amount:lots", "amount:lots", true],
    ["visa amount:<0", "amount:<0", true],
    ["visa amount:1.999", "amount:1.999", true],
    ["visa amount:50..20", "amount:50..20", true],
    ["visa created:2026-02-30", "created:2026-02-30", true],
    ["visa created:<1970-01-02", "created:<1970-01-02", true],
    ["visa created:>9999-12-30", "created:>9999-12-30", true],
    ["visa created:>9999-12-30T23:59:59.999Z", "created:>9999-12-30T23:59:59.999Z", true],
    ["visa created:>9999-12-31T23:59:59-14:00", "created:>9999-12-31T23:59:59-14:00", true],
    ["visa created:>last-week", "created:>last-week", true],
    ["visa last4:42", "last4:42", true],
    ["visa currency:dollars", "currency:dollars", true],
    ["visa type:fee", "type:fee", true],
    ["amount:>50 amount:<20 visa", "amount:<20", false],
  ])("%s", (text, word, incomplete) => {
    const parsed = parseSearch(text);
    expect(parsed.problems).toMatchObject([{ word, incomplete }]);
    expect(parsed.filters.card_brand).toEqual(["visa"]);
  });
});

test("any text parses without an error, and its filters survive a round trip through the URL", () => {
  const pieces = fc.constantFrom(
    ...'status: brand:visa amount:> 50 .. 4242 @ last week " over $ created: pay_ , 2026-11-20 < é'.split(" "),
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(pieces).map((some) => some.join(" ")),
    fc.array(pieces).map((some) => some.join("")),
  );
  fc.assert(
    fc.property(text, (input) => {
      const { filters } = parseSearch(input);
      const query = { ...FIRST_QUERY, ...filters };
      const read = parseQuery(new URLSearchParams(formatQuery(query)));
      expect(read.problems).toEqual([]);
      expect(read.query).toEqual(query);
    }),
    { numRuns: 150 },
  );
});
