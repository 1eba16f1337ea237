import { describe, expect, test } from "vitest";
import { signUp, updateBusiness } from "./accounts/endpoints";
import { createClientSessionBody } from "./checkout/client-session";
import { parseInput, trimmed } from "./input";
import { createPaymentBody, refundBody } from "./payments/payment";
import { createPlanBody, updatePlanBody } from "./plans/plan";
import { listTransactionsQuery } from "./transactions/transaction";

const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };
const paid = (over: object) =>
  parseInput(createPaymentBody, { amount: 1999, currency: "USD", card, ...over }).result.data;

/** Texts without visible characters. */
const NOTHING = [
  ...["", " ", "\t\n", "\u00a0", "\u3000", "\u200b", "\u00ad", "\u3164", "\u115f", "\uffa0", "\ufeff", "\u2060"],
  ...["\u180e", "\u2800", "\u202e", "\ufe0f", "\u034f", "\u{e0020}", "\u2028", " \u200b \u3164 "],
];

test.each(NOTHING)("a text without visible characters counts as absent: %j", (nothing) => {
  const address = { line1: "1 Harbour Road", line2: nothing, city: "Wan Chai", state: nothing, country: nothing };
  const body = paid({
    customer_name: nothing,
    customer_email: nothing,
    description: nothing,
    billing_address: address,
  });
  expect(body).toMatchObject({ customer_name: null, customer_email: null, description: null });
  expect(body?.billing_address).toMatchObject({ line1: "1 Harbour Road", line2: null, state: null, country: null });
  expect(paid({ customer_id: nothing, return_url: nothing, plan_id: nothing, capture_method: nothing })).toMatchObject({
    customer_id: null,
    return_url: null,
    plan_id: null,
    capture_method: "automatic",
  });
  expect(paid({ metadata: nothing })?.metadata).toEqual({});
  expect(parseInput(refundBody, { amount: 5, reason: nothing, comment: nothing }).result.data).toEqual({ amount: 5 });
  expect(parseInput(listTransactionsQuery, { status: nothing, customer_id: nothing }).result.data).toEqual({});
  const plan = { type: "ONE_TIME", name: nothing, currency: "USD", full_price_amount: 1 };
  expect(parseInput(createPlanBody, plan).result.error?.issues[0]?.path).toEqual(["name"]);
  expect(parseInput(updatePlanBody, { description: nothing }).result.data).toEqual({ description: null });
});

test("null counts as absent where a text is optional", () => {
  expect(paid({ metadata: null, return_url: null, payment_token: null, billing_address: null })?.metadata).toEqual({});
  expect(parseInput(refundBody, { amount: 5, reason: null, comment: null }).result.data).toEqual({ amount: 5 });
});

test("an empty or null amount does not count as absent, which would refund everything", () => {
  for (const amount of ["", null, " ", "\u200b"]) expect(parseInput(refundBody, { amount }).result.success).toBe(false);
  expect(parseInput(refundBody, { ammount: "" }).result.success).toBe(false);
  for (const query of [{ limit: "" }, { offset: " " }, { min_amount: "" }])
    expect(parseInput(listTransactionsQuery, query).result.success).toBe(false);
});

test("white space around a value is removed, and none within it", () => {
  expect(paid({ customer_name: " \u200bMary  Jane\u00a0\u3164\n", description: "\tA\n b " })).toMatchObject({
    customer_name: "Mary  Jane",
    description: "A\n b",
  });
  expect(
    parseInput(createClientSessionBody, {
      plan_id: " plan_01h455vb4pex5vsknk084sn02q ",
      allowed_origins: [" https://a.example "],
    }).result.data,
  ).toMatchObject({ plan_id: "plan_01h455vb4pex5vsknk084sn02q", allowed_origins: ["https://a.example"] });
  expect(parseInput(listTransactionsQuery, { currency: " EUR " }).result.data).toEqual({ currency: "EUR" });
});

test("emoji, flags and joined letters keep their invisible parts", () => {
  for (const text of ["❤️", "👩‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "می‌خواهم", "क्‍ष", "\u202eabc\u202c"]) expect(trimmed(text)).toBe(text);
});

test.each([
  ["hk", "HK"],
  ["Hk", "HK"],
  ["uk", "GB"],
  [" UK ", "GB"],
  ["gb", "GB"],
  ["", null],
])("the country %j is %s", (country, code) =>
  expect(paid({ billing_address: { country } })?.billing_address?.country).toBe(code),
);

describe("what stays unchanged", () => {
  test("passwords, with their spaces", () => {
    const body = { business_name: " Shop ", name: " Ada ", email: " ada@example.com ", time_zone: "UTC" };
    const { data } = parseInput(signUp.body, { ...body, password: "  twelve blanks  " }).result;
    expect(data).toEqual({
      business_name: "Shop",
      name: "Ada",
      email: "ada@example.com",
      time_zone: "UTC",
      password: "  twelve blanks  ",
    });
  });

  test("metadata, except for empty values", () => {
    expect(paid({ metadata: { a: " b ", c: "\u200b", d: "", e: 0, f: false } })?.metadata).toEqual({
      a: " b ",
      c: "",
      d: "",
      e: 0,
      f: false,
    });
  });

  test("an empty text where that clears a value", () => {
    expect(parseInput(updateBusiness.body, { website: " ", support_email: "\u200b" }).result.data).toEqual({
      website: null,
      support_email: null,
    });
  });
});
