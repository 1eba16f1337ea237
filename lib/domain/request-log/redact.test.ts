import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { CONNECTORS } from "@/lib/processor/connectors";
import { CREDENTIAL_FIELDS } from "@/lib/processor/credential-names";
import { keepableBeside, keptBody, keptQuery, MAX_BODY, ownCardOf, REDACTED_MEMBERS } from "./redact";

type Definition = {
  type: string;
  shape?: Record<string, z.ZodType>;
  entries?: Record<string, string>;
  values?: unknown[];
  options?: z.ZodType[];
} & Partial<Record<"innerType" | "element" | "in" | "out" | "valueType", z.ZodType>>;

const CARD = "4111 1111-1111.1111";
const DIGITS = "4111111111111111";
const CVV = "7351";

/** A value that fits the schema, with card data in every string; `seen` is called with each member's name. */
function filled(schema: z.ZodType, seen: (name: string) => void): unknown {
  const def = schema._zod.def as unknown as Definition;
  switch (def.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(def.shape ?? {}).map(([name, member]) => {
          seen(name);
          return [name, name === "cvv" ? CVV : filled(member, seen)];
        }),
      );
    case "array":
      return [filled(def.element as z.ZodType, seen)];
    case "record":
      return {
        [CARD]: filled(def.valueType as z.ZodType, seen),
        cvv: CVV,
        "X-Card-Number": DIGITS,
        Authorization: "k",
      };
    case "union":
      return Object.assign({}, ...(def.options ?? []).map((option) => filled(option, seen)));
    case "number":
      return Number(DIGITS);
    case "boolean":
      return true;
    case "literal":
    case "enum":
    case "string":
    case "unknown":
      return `a card: ${CARD} of ${CVV}`;
    default: {
      const inner =
        def.innerType ?? (def.in && (def.in._zod.def as unknown as Definition).type !== "transform" ? def.in : def.out);
      if (!inner) throw new Error(`a schema of a kind that this test does not know: ${def.type}`);
      return filled(inner, seen);
    }
  }
}

const SCHEMAS = ENDPOINTS.flatMap(
  ({ name, body, response, permissions }: (typeof ENDPOINTS)[number] & { body?: z.ZodType }) => [
    ...(body ? [[`the body of ${name}`, body] as const] : []),
    ...(permissions.length > 0 ? [[`the answer of ${name}`, response as z.ZodType] as const] : []),
  ],
);

describe.each(SCHEMAS)("%s", (_name, schema) => {
  test("no member with a secret's name is stored", () => {
    const names = new Set<string>();
    filled(schema, (name) => names.add(name));
    const secret = /number|cvv|cvc|csc|pan$|secret|token|passw|private|credential|iframe|redirect|otp|pin$/i;
    // A single letter: the result of the code check.
    names.delete("cvv_result");
    for (const name of names) if (secret.test(name)) expect([...REDACTED_MEMBERS], name).toContain(name);
  });

  test("card data in any string, number or name is not stored", () => {
    const value = filled(schema, () => {});
    const { body, kept } = keptBody(schema, value, ownCardOf({ card: { number: DIGITS, cvv: CVV } }));
    expect(() => JSON.parse(body as string)).not.toThrow();
    expect(kept).not.toBe("whole");
    expect((body as string).replaceAll(/\D/g, "")).not.toContain(DIGITS);
    expect(body).not.toContain(CVV);
    // Also without knowing the request's card: card numbers are recognized by themselves.
    expect((keptBody(schema, value).body as string).replaceAll(/\D/g, "")).not.toContain(DIGITS);
  });

  test("members outside the schema are not stored, at any depth", () => {
    const canary = "of no schema";
    const spread = (value: unknown): unknown =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? {
            ...Object.fromEntries(Object.entries(value).map(([name, member]) => [name, spread(member)])),
            unheard_of: [canary],
          }
        : value;
    const open = /record|metadata|headers/;
    const text = keptBody(schema, spread(filled(schema, () => {}))).body as string;
    if (!open.test(JSON.stringify(filled(schema, () => {})))) expect(text).not.toContain("unheard_of");
    expect(text).not.toContain(`["${canary}"]`);
  });
});

const createPayment = SCHEMAS.find(([name]) => name === "the body of createPayment")?.[1] as z.ZodType;

test("a payment keeps its details, with marks for what is not stored", () => {
  const sent = {
    amount: 4_999,
    currency: "USD",
    description: "Poster",
    metadata: { order: "A-17", cvv: "123" },
    ammount: 1,
    card: { number: "4242 4242 4242 4242", exp_month: 12, exp_year: 2040, cvv: "123", name: "Ada" },
  };
  expect(JSON.parse(keptBody(createPayment, sent).body as string)).toEqual({
    amount: 4_999,
    currency: "USD",
    description: "Poster",
    metadata: { order: "A-17", cvv: "[redacted]" },
    card: { number: "[redacted]", exp_month: 12, exp_year: 2040, cvv: "[redacted]", name: "Ada" },
  });
});

describe.each(CONNECTORS)("credentials of $label", ({ key, fields }) => {
  test("are those with a redacted name", () => {
    expect(CREDENTIAL_FIELDS[key]).toBe(fields);
  });

  test.each(fields)("$name is not kept under its name, however that is written", ({ name }) => {
    const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    for (const given of [name, camel, name.toUpperCase().replaceAll("_", "-")]) {
      const { body } = keptBody(createPayment, { metadata: { [given]: "a canary", order: "A-17" } });
      expect(JSON.parse(body as string)).toEqual({ metadata: { [given]: "[redacted]", order: "A-17" } });
      expect(keptQuery(null, `?${given}=acanary`, ownCardOf({}), MAX_BODY)).not.toContain("acanary");
    }
    expect([...REDACTED_MEMBERS]).toContain(name);
  });
});

test("a mistyped number, which fails the check digit, is not stored in any other string", () => {
  const number = "4242424242424241";
  const sent = { description: `it is ${number}`, customer_name: "9876", card: { number, cvv: "9876" } };
  const text = keptBody(createPayment, sent, ownCardOf(sent)).body as string;
  expect(text).not.toContain(number);
  expect(text).not.toContain("9876");
});

test("the card's own number is not stored even inside a text that looks like our id", () => {
  const number = "4242424242424242";
  const sent = { description: `pay_01${number}abcdefgh`, card: { number, cvv: "987" } };
  expect(keptBody(createPayment, sent, ownCardOf(sent)).body).not.toContain(number);
});

test("a value of another type than the schema's is not stored", () => {
  const sent = { card: "4242 4242", amount: { number: "4242" }, payment_token: { cvv: "123" }, metadata: ["cvv 123"] };
  expect(JSON.parse(keptBody(createPayment, sent).body as string)).toEqual({
    card: "[not kept]",
    amount: "[not kept]",
    payment_token: "[redacted]",
    metadata: "[not kept]",
  });
  expect(keptBody(createPayment, "4242").body).toBe('"[not kept]"');
});

test("a body has at most 16 kB, whatever it contains, and is still JSON", () => {
  const values = [
    { description: "é".repeat(60_000) },
    { metadata: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`name ${i}`, `value ${i}`])) },
    { metadata: { a: "\u0001".repeat(20_000) } },
  ];
  for (const value of values) {
    const { body, kept } = keptBody(createPayment, value);
    expect(Buffer.byteLength(body as string)).toBeLessThan(MAX_BODY + 1_000);
    expect([kept, typeof JSON.parse(body as string)]).toEqual(["cut", "object"]);
  }
});

test("a number rounded by JSON is not stored: it has most of a card's digits, but fails the check digit", () => {
  for (const digits of ["6269783435413142957", "0.62697834354131429", "626978343541314295.7", "4111111111111111e4"]) {
    const kept = keptBody(createPayment, { amount: 999, metadata: { order: Number(digits) } });
    expect(JSON.parse(kept.body as string)).toEqual({ amount: 999, metadata: { order: "[redacted]" } });
  }
  const order = Number.MAX_SAFE_INTEGER;
  expect(JSON.parse(keptBody(createPayment, { metadata: { order } }).body as string)).toEqual({
    metadata: { order },
  });
});

test("a problem keeps its texts and fields, with numbers masked", () => {
  const problem = {
    status: 400,
    code: "invalid_parameter",
    errors: [{ param: "x", message: `not ${CARD}` }],
    remaining: 5,
  };
  const { body } = keptBody(null, problem);
  expect(JSON.parse(body as string)).toEqual({ ...problem, errors: [{ param: "x", message: "not [card number]" }] });
});

describe("the stored part of a request's URL", () => {
  const none = ownCardOf(undefined);
  const query = ENDPOINTS.find(({ name }) => name === "listTransactions")?.query ?? null;

  test("are values of known parameters, and harmless names of others", () => {
    expect(keptQuery(query, "?limit=2&customer_id=c%201", none, 1_000)).toBe("limit=2&customer_id=c%201");
    const odd = keptQuery(
      query,
      `?cvv=737&api_key=sk_test_x&payment_token=tok_y&${DIGITS}=1&q=tok_secret`,
      none,
      1_000,
    );
    expect(odd).toBe("cvv=[not kept]&api_key=[not kept]&payment_token=[not kept]&…=[not kept]&q=tok_%5Bredacted%5D");
    expect(keptQuery(null, "", none, 1_000)).toBeNull();
  });

  test("is no key, secret or token of ours, and no security code among other words", () => {
    expect(keepableBeside(none, "/v1/client-sessions/cst_supersecret/cancel", 1_000)).toBe(
      "/v1/client-sessions/cst_[redacted]/cancel",
    );
    for (let before = 1_350; before < 1_420; before++) {
      const text = `sk_live_${"a".repeat(800)} `.padEnd(before, "x");
      expect(keepableBeside(none, `${text} ${DIGITS}${"x".repeat(50)}`, 1_000), `after ${before}`).not.toMatch(/\d/);
    }
    expect(keepableBeside(none, "with sk_live_abc and whsec_a/b+c=", 1_000)).toBe(
      "with sk_live_[redacted] and whsec_[redacted]",
    );
    const card = ownCardOf({ cvv: 737 });
    expect(keepableBeside(card, "cvv 737", 1_000)).toBe("[redacted]");
    expect(keepableBeside(card, "order 17371", 1_000)).toBe("order 17371");
  });
});
