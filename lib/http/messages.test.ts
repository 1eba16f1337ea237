import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { AppError, type FieldError } from "@/lib/contract/errors";
import { createPaymentBody, refundBody } from "@/lib/contract/payments/payment";
import { listTransactionsQuery } from "@/lib/contract/transactions/transaction";
import { DASHBOARD_ENDPOINTS } from "./dashboard-endpoints";
import { check } from "./parse";

/** The error for a value that a schema refuses; null if it accepts the value. */
function refusalOf(schema: z.ZodType, value: unknown): AppError | null {
  try {
    check(schema, value);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

const detailOf = (schema: z.ZodType, value: unknown) => refusalOf(schema, value)?.message ?? "taken";

const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };
const payment = (over: object) => ({ amount: 1999, currency: "USD", card, ...over });
const paymentRefusal = (over: object) => detailOf(createPaymentBody, payment(over));

/** Values of every kind that some schema refuses. */
const BAD_VALUES: readonly unknown[] = [
  ...["", "\u200b\u00ad\u3164", "x", "x".repeat(20_000), "\u0000", "\ud800", "-1", "1.5", "<b>", "2026-02-30", "none@"],
  ...["4242 4242 4242 4242", 0, -1, 1.5, 2 ** 60, 1e300, true, null],
  ...[[], [""], [null], ["x"], Array(200).fill("x"), {}, { x: {} }, { ["x".repeat(90)]: 1 }, { "": null }],
];

/** Every member of a schema, at any depth, with each bad value; and each bad value in place of the whole. */
function* badInputs(schema: z.core.$ZodType): Generator<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  yield* BAD_VALUES;
  if ("innerType" in def) yield* badInputs(def.innerType);
  else if (def.type === "pipe") yield* badInputs(def.in);
  else if (def.type === "array") for (const item of badInputs(def.element)) yield [item];
  else if (def.type === "union") for (const option of def.options) yield* badInputs(option);
  else if (def.type === "record") {
    for (const value of badInputs(def.valueType)) yield { x: value };
  } else if (def.type === "object") {
    for (const [name, member] of Object.entries(def.shape))
      for (const value of badInputs(member)) yield { [name]: value };
  }
}

const SCHEMAS = [...ENDPOINTS, ...DASHBOARD_ENDPOINTS.map(({ endpoint }) => endpoint)].flatMap((endpoint) =>
  (["body", "query"] as const).flatMap((part): [string, z.ZodType][] => {
    const schema = (endpoint as { body?: z.ZodType; query?: z.ZodType })[part];
    return schema ? [[`${endpoint.name}, ${part}`, schema]] : [];
  }),
);
/** Wording of zod's default messages. */
const FOREIGN = /Invalid|Too (?:small|big)|Unrecognized|expected|received|undefined|\bNaN\b|\[object|>=|<=/;

test("every schema's message is a sentence of ours, never the library's", () => {
  expect(SCHEMAS.length).toBeGreaterThan(70);
  const found = new Map<string, string>();
  let read = 0;
  for (const [name, schema] of SCHEMAS) {
    for (const value of badInputs(schema)) {
      const error = refusalOf(schema, value);
      for (const { message } of error?.errors ?? []) {
        read++;
        if (FOREIGN.test(message) || !/[.:\w](?:…\d{4})?$/.test(message)) found.set(message, name);
      }
    }
  }
  expect(read).toBeGreaterThan(10_000);
  expect([...found]).toEqual([]);
});

describe("a rejected amount is reported with what to send", () => {
  test.each<[object, string]>([
    [{ amount: 19.99 }, "amount: Send 1999: amounts are in minor units."],
    [{ amount: 19.9 }, "amount: Send 1990: amounts are in minor units."],
    [{ amount: 1.999e1 }, "amount: Send 1999: amounts are in minor units."],
    [{ amount: 1.234, currency: "KWD" }, "amount: Send 1234: amounts are in minor units."],
    [
      { amount: 19.99, currency: "JPY" },
      "amount: Send 20 for 20 JPY, as JPY has no decimals: amounts are in minor units.",
    ],
    [{ amount: 19.999 }, "amount: Send 2000 for 20.00 USD, as USD has 2 decimals: amounts are in minor units."],
    [{ amount: "1999" }, "amount: Send 1999 as a number, without quotes."],
    [{ amount: "19.99" }, "amount: Send 1999: amounts are in minor units, without quotes."],
    [{ amount: "$19.99" }, "amount: Send a whole number of minor units, such as 1999 for 19.99 USD."],
    [{ amount: -5 }, "amount: Send 5: amounts are in minor units and never negative."],
    [{ amount: -19.99 }, "amount: Send 1999: amounts are in minor units and never negative."],
    [{ amount: 0 }, "amount: Send at least 1: amounts are in minor units."],
    [{ amount: 1e15 }, "amount: Send at most 999999999999, which is 9999999999.99 USD."],
    [{ amount: 1e300 }, "amount: Send at most 999999999999, which is 9999999999.99 USD."],
    [{ amount: true }, "amount: Send a whole number of minor units, such as 1999 for 19.99 USD."],
    [{ amount: "" }, "amount: Send a whole number of minor units, such as 1999 for 19.99 USD."],
    [{ amount: "675984736925" }, "amount: Send a whole number of minor units, such as 1999 for 19.99 USD."],
    [{ amount: -675984736925 }, "amount: Send a whole number of minor units, such as 1999 for 19.99 USD."],
  ])("%j", (over, detail) => expect(paymentRefusal(over)).toBe(detail));

  test("without a currency, for which it is right", () => {
    const detail = "amount: Send 1999 for 19.99 in a currency with 2 decimals: amounts are in minor units.";
    expect(detailOf(refundBody, { amount: 19.99 })).toBe(detail);
    expect(detailOf(listTransactionsQuery, { min_amount: "19.99" })).toBe(`min_${detail}`);
  });

  test("a number beyond any integer is too large, and its field's own maximum is named", () => {
    const card = { number: "4242424242424242", exp_month: 1e20, exp_year: 2030, cvv: "123" };
    const messages = refusalOf(createPaymentBody, payment({ card }))?.errors?.map(({ message }) => message);
    expect(messages).toEqual(["card.exp_month is too large.", "card.exp_month must be at most 12."]);
  });

  test("a reversed range names its lower end once", () => {
    expect(detailOf(listTransactionsQuery, { min_amount: "5", max_amount: "4" })).toBe(
      "min_amount must not be above max_amount.",
    );
    expect(detailOf(listTransactionsQuery, { created_after: "2026-11-02", created_before: "2026-11-01" })).toBe(
      "created_after must not be later than created_before.",
    );
  });

  test("an empty amount or null is a mistake, and never refunds everything", () => {
    for (const amount of ["", " ", null, "\u200b"]) expect(refusalOf(refundBody, { amount })).not.toBeNull();
  });
});

describe("rejected metadata is reported with what is allowed", () => {
  const VALUE = "must be text (500 characters at most), a number, true or false; send objects as JSON text.";
  test.each<[object, string]>([
    [{ order: { id: 7 } }, `metadata.order ${VALUE}`],
    [{ order: ["7"] }, `metadata.order ${VALUE}`],
    [{ order: "x".repeat(501) }, "metadata.order must have at most 500 characters; this has 501."],
    [{ ["k".repeat(41)]: "x" }, `metadata.${"k".repeat(41)} must have a name of at most 40 characters.`],
    [{ "": "x" }, "metadata. must have a name that is not empty."],
  ])("%j", (metadata, detail) => expect(paymentRefusal({ metadata })).toBe(detail));

  test("in number and size", () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 1]));
    expect(paymentRefusal({ metadata: many })).toBe("metadata must have at most 50 keys; this has 51.");
    const large = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${at}`, "x".repeat(450)]));
    expect(paymentRefusal({ metadata: large })).toMatch(
      /^metadata must have at most 16384 bytes as JSON; this has 18\d{3}\.$/,
    );
    expect(paymentRefusal({ metadata: [] })).toBe("metadata must be an object in braces.");
  });
});

test.each<[object, Partial<FieldError>]>([
  [{ currency: "" }, { param: "currency", code: "missing_parameter" }],
  [{ currency: null }, { param: "currency", code: "missing_parameter", message: "This parameter is required." }],
  [
    { description: "Paid with 5555 5555 5555 4444" },
    {
      param: "description",
      message: "description holds a card number ending in 4444. Write only its last four digits: …4444",
    },
  ],
  [{ customer_name: 5 }, { message: "customer_name must be text, in quotes." }],
  [{ customer_name: "x".repeat(300) }, { message: "customer_name must have at most 255 characters; this has 300." }],
  [{ capture_method: "later" }, { message: "capture_method must be one of automatic, manual." }],
  [{ card: { ...card, exp_month: 13 } }, { message: "card.exp_month must be at most 12." }],
  [{ card: { ...card, exp_month: "12" } }, { message: "card.exp_month must be a number, without quotes." }],
  [{ billing_address: [] }, { message: "billing_address must be an object in braces." }],
])("%j is refused in our words", (over, error) => {
  expect(refusalOf(createPaymentBody, payment(over))?.errors).toEqual([expect.objectContaining(error)]);
});
