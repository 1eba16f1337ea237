import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FIRST_QUERY, formatQuery, parseQuery } from "@/lib/contract/transactions/query";
import { parseSearch } from "./search";

const usd = (gte: number | null, lte: number | null) => ({ gte, lte, unit: "USD" });
const days = (from: string | null, to: string | null) => ({ from, to });

describe("the search box understands", () => {
  test.each<[text: string, filters: object]>([
    ["4242", { last4: "4242" }],
    ["0005", { last4: "0005" }],
    ["anna@example.com", { customerEmail: "anna@example.com" }],
    ["Anna+Test@Example.co.uk", { customerEmail: "Anna+Test@Example.co.uk" }],
    ["$50", { amount: usd(5000, 5000) }],
    ["49.90", { amount: usd(4990, 4990) }],
    ["$1,234.56", { amount: usd(123456, 123456) }],
    ["€20", { amount: { gte: 2000, lte: 2000, unit: "EUR" } }],
    ["¥5000", { amount: { gte: 5000, lte: 5000, unit: "JPY" } }],
    ["1.005kwd", { amount: { gte: 1005, lte: 1005, unit: "KWD" } }],
    [">50", { amount: usd(5001, null) }],
    ["<=$20", { amount: usd(null, 2000) }],
    ["over 50", { amount: usd(5001, null) }],
    ["over $50.00", { amount: usd(5001, null) }],
    ["at least 20 eur", { amount: { gte: 2000, lte: null, unit: "EUR" } }],
    ["less than 1000 dollars", { amount: usd(null, 99999) }],
    ["declined", { statuses: ["DECLINED"] }],
    ["Partially refunded", { statuses: ["PARTIALLY_REFUNDED"] }],
    ["refunds", { statuses: ["REFUNDED", "PARTIALLY_REFUNDED"] }],
    ["visa", { brands: ["visa"] }],
    ["american express", { brands: ["amex"] }],
    ["failed declined visa mc", { statuses: ["DECLINED", "FAILED"], brands: ["visa", "mastercard"] }],
    ["last week", { created: { preset: "last-week" } }],
    ["last 7 days", { created: { preset: "last-7-days" } }],
    ["today", { created: { preset: "today" } }],
    ["2026-11-20", { created: days("2026-11-20", "2026-11-20") }],
    ["sub_01h455vb4pex5vsknk084sn02q", { subscriptionId: "sub_01h455vb4pex5vsknk084sn02q" }],
    [
      "last week's declined Visa payments over 50 dollars",
      { created: { preset: "last-week" }, statuses: ["DECLINED"], brands: ["visa"], amount: usd(5001, null) },
    ],
  ])("plain words: %s", (text, filters) => {
    expect(parseSearch(text)).toEqual({ filters, jump: null, problems: [] });
  });

  test.each<[text: string, filters: object]>([
    ["status:declined", { statuses: ["DECLINED"] }],
    ["status:failed,declined", { statuses: ["DECLINED", "FAILED"] }],
    ["status:failed status:Declined", { statuses: ["DECLINED", "FAILED"] }],
    ["STATUS:partially-refunded", { statuses: ["PARTIALLY_REFUNDED"] }],
    ["brand:visa,amex", { brands: ["visa", "amex"] }],
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
    ["email:anna@example.com", { customerEmail: "anna@example.com" }],
    ["customer:c_17", { customerId: "c_17" }],
    ['customer:"anna smith"', { customerId: "anna smith" }],
    ["subscription:sub_1", { subscriptionId: "sub_1" }],
    ["last4:4242", { last4: "4242" }],
    ["created:last-week", { created: { preset: "last-week" } }],
    ["created:last_7_days", { created: { preset: "last-7-days" } }],
    ["created:2026-11-20", { created: days("2026-11-20", "2026-11-20") }],
    ["created:>2026-11-01", { created: days("2026-11-02", null) }],
    ["created:>=2026-11-01", { created: days("2026-11-01", null) }],
    ["created:<2026-11-01", { created: days(null, "2026-10-31") }],
    ["created:<=2026-11-01", { created: days(null, "2026-11-01") }],
    ["created:>=2026-11-01 created:<2026-11-10", { created: days("2026-11-01", "2026-11-09") }],
    ["created:2026-11-01..2026-11-09", { created: days("2026-11-01", "2026-11-09") }],
    ["created:>2026-11-01T09:30:00Z", { created: days("2026-11-01T09:30:00.001Z", null) }],
    [
      "status:declined brand:visa amount:>50 created:last-week",
      { statuses: ["DECLINED"], brands: ["visa"], amount: usd(5001, null), created: { preset: "last-week" } },
    ],
  ])("operators: %s", (text, filters) => {
    expect(parseSearch(text)).toEqual({ filters, jump: null, problems: [] });
  });

  test.each(["pay_01h455vb4pex5vsknk084sn02q", " TXN_01h455vb4pex5vsknk084sn02q "])("an id to open: %s", (text) => {
    expect(parseSearch(text)).toEqual({ filters: {}, jump: text.trim().toLowerCase(), problems: [] });
  });
});

describe("what it does not understand it names, and it keeps the rest", () => {
  test.each<[text: string, word: string, incomplete: boolean]>([
    ["visa nonsense", "nonsense", true],
    ["visa status:", "status:", true],
    ["visa status:decl", "status:decl", true],
    ["visa plan:gold", "plan:gold", false],
    ["visa currency:usd", "currency:usd", false],
    ["visa colour:red", "colour:red", false],
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
    ["visa 42", "42", true],
    ["visa 123456", "123456", false],
    ["visa pay_01h455", "pay_01h455", true],
    ["visa plan_01h455vb4pex5vsknk084sn02q", "plan_01h455vb4pex5vsknk084sn02q", false],
    ["visa over", "over", true],
    ["amount:>50 amount:<20 visa", "amount:<20", false],
  ])("%s", (text, word, incomplete) => {
    const parsed = parseSearch(text);
    expect(parsed.problems).toMatchObject([{ word, incomplete }]);
    expect(parsed.filters.brands).toEqual(["visa"]);
  });
});

test("any text at all is read without an error, and what is found has an address that says the same", () => {
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
