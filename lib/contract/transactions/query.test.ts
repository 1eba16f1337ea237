import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { amountText, MAX_AMOUNT, MINOR_UNITS, parseAmount } from "@/lib/contract/currencies";
import { isText } from "@/lib/contract/lists/filters";
import { amountIn, contradicted, usedFilters } from "./filters";
import {
  FIRST_QUERY,
  formatQuery,
  MAX_PAGE,
  PER_PAGE,
  parseQuery,
  searchBody,
  type TransactionQuery,
  transactionsHref,
} from "./query";
import { DATE_PRESETS, type DatePreset } from "./time-range";
import { searchTransactionsBody } from "./transaction";
import { ATTENTION, CARD_BRANDS, DECLINE_CODES, SORT_FIELDS, TRANSACTION_STATUSES, TRANSACTION_TYPES } from "./words";

const parse = (text: string) => parseQuery(new URLSearchParams(text));

const unit = fc.constantFrom("USD", "JPY", "KWD", "CLF", "minor");
const minor = fc.integer({ min: 0, max: MAX_AMOUNT });
const amount = fc
  .record({ ends: fc.tuple(minor, minor), open: fc.constantFrom("none", "gte", "lte"), unit })
  .map(({ ends, open, ...rest }) => ({
    gte: open === "gte" ? null : Math.min(...ends),
    lte: open === "lte" ? null : Math.max(...ends),
    ...rest,
  }));
const time = fc.date({ min: new Date("1970-01-03"), max: new Date("9999-12-30"), noInvalidDate: true });
const range = fc
  .record({ ends: fc.tuple(time, time), days: fc.boolean(), open: fc.constantFrom("none", "from", "to") })
  .map(({ ends, days, open }) => {
    const [from = "", to = ""] = ends
      .map((end) => end.toISOString())
      .sort()
      .map((iso) => (days ? iso.slice(0, 10) : iso));
    return { from: open === "from" ? null : from, to: open === "to" ? null : to };
  });
const created = fc.oneof(
  fc.constantFrom(...(Object.keys(DATE_PRESETS) as DatePreset[])).map((preset) => ({ preset })),
  range,
);
const word = (maxLength: number) =>
  fc.string({ minLength: 1, maxLength, unit: "grapheme" }).filter((w) => w.length <= maxLength && isText(w));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const anything: fc.Arbitrary<TransactionQuery> = fc.record({
  status: maybe(fc.subarray([...TRANSACTION_STATUSES], { minLength: 1 })),
  card_brand: maybe(fc.subarray([...CARD_BRANDS], { minLength: 1 })),
  amount: maybe(amount),
  created_at: maybe(created),
  customer_id: maybe(word(255)),
  customer_email: maybe(word(254)),
  subscription_id: maybe(word(255)),
  plan_id: maybe(word(255)),
  type: maybe(fc.subarray([...TRANSACTION_TYPES], { minLength: 1 })),
  currency: maybe(fc.subarray(["AED", "EUR", "USD"], { minLength: 1 })),
  decline_code: maybe(fc.subarray([...DECLINE_CODES], { minLength: 1 })),
  captured_at: maybe(created),
  attention: maybe(fc.subarray([...ATTENTION], { minLength: 1 })),
  card_last4: maybe(fc.stringMatching(/^\d{4}$/)),
  sort: fc.record({ field: fc.constantFrom(...SORT_FIELDS), order: fc.constantFrom("asc", "desc") }),
  page: fc.integer({ min: 1, max: MAX_PAGE }),
  perPage: fc.constantFrom(...PER_PAGE),
});
/** Valid queries: amount and currency agree. */
const query = anything.map((asked): TransactionQuery => {
  const currency = contradicted(asked);
  return currency === null ? asked : ({ ...asked, currency: [currency] } as TransactionQuery);
});

test.each([
  [{ gte: 5_001, lte: null, unit: "USD" }, "JPY", { gte: 51, lte: null }],
  [{ gte: 5_050, lte: 9_999, unit: "USD" }, "JPY", { gte: 51, lte: 99 }],
  [{ gte: 5_050, lte: 5_060, unit: "USD" }, "JPY", { gte: 51, lte: 51 }],
  [{ gte: 50, lte: 50, unit: "JPY" }, "USD", { gte: 5_000, lte: 5_000 }],
  [{ gte: 5_001, lte: 5_001, unit: "USD" }, "KWD", { gte: 50_010, lte: 50_010 }],
  [{ gte: 5_000, lte: null, unit: "minor" }, "USD", { gte: 5_000, lte: null }],
])("%j in %s", (amount, unit, expected) => {
  expect(amountIn(unit, amount)).toEqual({ ...expected, unit });
});

describe("a URL and its query", () => {
  test("round-trip, for every query", () => {
    fc.assert(
      fc.property(query, (asked) => {
        const text = formatQuery(asked);
        expect(parse(text)).toEqual({ query: asked, problems: [] });
        expect(formatQuery(parse(text).query)).toBe(text);
      }),
      { numRuns: 150 },
    );
  });

  test("every query is accepted by the API", () => {
    fc.assert(
      fc.property(query, fc.constantFrom("UTC", "America/Los_Angeles", "Pacific/Kiritimati"), (asked, zone) => {
        const body = searchBody(asked, zone, Date.now());
        const result = searchTransactionsBody.safeParse(body);
        expect(result.error?.issues ?? []).toEqual([]);
        expect(result.data).toEqual(body);
      }),
      { numRuns: 150 },
    );
  });

  test("any parameters parse without an error, and the kept ones form a valid query", () => {
    const names = [
      "status",
      "brand",
      "min",
      "max",
      "unit",
      "created",
      "customer",
      "email",
      "last4",
      "sort",
      "page",
      "per",
      "x",
    ];
    const values = [
      "",
      "USD",
      "minor",
      "50",
      "-1",
      "1e9",
      "last-week",
      "visa",
      "DECLINED",
      "9999-12-31",
      "2026-11-20..",
      "\u0000",
    ];
    const some = fc.array(
      fc.tuple(
        fc.oneof(fc.constantFrom(...names), fc.string()),
        fc.oneof(fc.constantFrom(...values), fc.string({ unit: "binary" })),
      ),
    );
    fc.assert(
      fc.property(some, (params) => {
        const { query: asked } = parseQuery(params);
        expect(parse(formatQuery(asked))).toEqual({ query: asked, problems: [] });
        expect(searchTransactionsBody.safeParse(searchBody(asked, "Europe/Berlin", Date.now())).success).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test("are readable", () => {
    const asked: TransactionQuery = {
      ...FIRST_QUERY,
      status: ["DECLINED", "FAILED"],
      card_brand: ["visa"],
      amount: { gte: 5000, lte: 9990, unit: "USD" },
      created_at: { from: "2026-11-01", to: "2026-11-20" },
      customer_email: "anna@example.com",
      sort: { field: "amount", order: "desc" },
      page: 3,
      perPage: 50,
    };
    expect(transactionsHref("test", asked)).toBe(
      "/test/transactions?status=DECLINED,FAILED&brand=visa&min=50&max=99.90&created=2026-11-01..2026-11-20&email=anna@example.com&sort=-amount&page=3&per=50",
    );
    expect(usedFilters(asked)).toHaveLength(5);
    expect(transactionsHref("live")).toBe("/live/transactions");
  });

  test("an open panel and the saved view are not filters", () => {
    expect(parse("panel=pay_1&view=view_1")).toEqual({ query: FIRST_QUERY, problems: [] });
  });
});

describe("meaningless parameters are reported and ignored", () => {
  test.each([
    ["status=DECLIEND", "status"],
    ["status=", "status"],
    ["brand=visa,diners", "brand"],
    ["min=cheap", "min"],
    ["min=1.999", "min"],
    ["max=-1", "max"],
    ["min=9999999999999", "min"],
    ["min=50&max=20", "min"],
    ["min=50&unit=XXX", "unit"],
    ["created=2026-02-30", "created"],
    ["created=2026-11-20..2026-11-01", "created"],
    ["created=..", "created"],
    ["created=someday", "created"],
    ["customer=", "customer"],
    [`email=${"a".repeat(501)}`, "email"],
    ["email=%00", "email"],
    ["last4=42", "last4"],
    ["currency=USD,XXX", "currency"],
    ["type=CHARGE,FEE", "type"],
    ["decline=bad_luck", "decline"],
    ["plan=", "plan"],
    ["captured=someday", "captured"],
    ["sort=colour", "sort"],
    ["page=0", "page"],
    ["page=1e9", "page"],
    ["per=25", "per"],
    ["staus=DECLINED", "staus"],
    ["constructor=1", "constructor"],
  ])("%s", (text, param) => {
    const { query: asked, problems } = parse(text);
    expect(problems.map((problem) => problem.param)).toEqual([param]);
    expect(asked).toEqual(FIRST_QUERY);
  });

  test("the other parameters are kept, and the first of two duplicates counts", () => {
    const { query: asked, problems } = parse("brand=visa&status=nonsense&brand=amex");
    expect(asked).toEqual({ ...FIRST_QUERY, card_brand: ["visa"] });
    expect(problems).toMatchObject([{ param: "brand" }, { param: "status" }]);
  });
});

test.each([
  ["50", "USD", 5000, "50"],
  ["49.9", "USD", 4990, "49.90"],
  ["5000", "JPY", 5000, "5000"],
  ["1.005", "KWD", 1005, "1.005"],
  ["5000", "minor", 5000, "5000"],
  ["0", "USD", 0, "0"],
])("%s in %s is %d minor units, shown as %s", (text, currency, minorUnits, shown) => {
  expect(parseAmount(text, currency)).toBe(minorUnits);
  expect(amountText(minorUnits, currency)).toBe(shown);
});

test("an amount with a currency finds only that currency", () => {
  const body = (query: Partial<TransactionQuery>) =>
    searchBody({ ...FIRST_QUERY, ...query }, "UTC", Date.now()).filters;
  const amount = { gte: 5_000, lte: null, unit: "EUR" };
  expect(body({ amount })).toEqual({ amount: { gte: 5_000 }, currency: ["EUR"] });
  expect(body({ amount, currency: ["EUR"] }).currency).toEqual(["EUR"]);
  expect(body({ amount: { ...amount, unit: MINOR_UNITS } })).toEqual({ amount: { gte: 5_000 } });
  const inMinor = { ...amount, unit: MINOR_UNITS };
  expect(body({ amount: inMinor, currency: ["GBP", "USD"] }).currency).toEqual(["GBP", "USD"]);
});

test("if amount and currency contradict each other, the amount's currency is used and reported", () => {
  const { query, problems } = parse("min=50&unit=EUR&currency=USD,GBP");
  expect(query).toMatchObject({ amount: { gte: 5_000, unit: "EUR" }, currency: ["EUR"] });
  expect(problems).toEqual([
    { param: "currency", value: "GBP,USD", message: "The amount is in EUR, so only EUR is shown." },
  ]);
});
