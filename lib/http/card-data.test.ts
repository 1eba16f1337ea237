import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { identifier } from "@/e2e/fixtures/identifiers";
import { checkoutAttemptBody, createClientSession } from "@/lib/contract/checkout/endpoints";
import { AppError } from "@/lib/contract/errors";
import { createPayment, refundPayment, voidPayment } from "@/lib/contract/payments/endpoints";
import { createPlan } from "@/lib/contract/plans/endpoints";
import { createSecret } from "@/lib/secret";
import { idempotencyOf } from "./idempotency";
import { parseBody } from "./parse";

const NUMBER = "4242424242424242";
const OTHER = "5555 5555 5555 4444";
const card = { number: NUMBER, exp_month: 12, exp_year: 2040, cvv: "123" };
const payment = (over: object = {}) => ({ amount: 1, currency: "USD", card, ...over });
const secret = createSecret("0f".repeat(32));

const parse = (operation: Parameters<typeof parseBody>[1], body: unknown) =>
  parseBody(
    new Request("http://localhost/", {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    }),
    operation,
  );

async function refusalOf(operation: Parameters<typeof parseBody>[1], body: unknown): Promise<AppError> {
  const error = await parse(operation, body).then(
    () => new Error(`nothing was refused in ${JSON.stringify(body)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof AppError) return error;
  throw error;
}

/** Digits of an error, except the last four, which it may name. */
const shownDigits = (error: AppError) =>
  JSON.stringify([error.message, error.param, error.errors]).replace(/(?:in |…)\d{4}|\D/g, "");

const SPELLINGS = [
  NUMBER,
  "4242 4242 4242 4242",
  `${NUMBER}123`,
  `${NUMBER} 12/29 123`,
  "4242.4242.4242.4242",
  "4242%204242%204242%204242",
  "4242x4242x4242x4242",
  "4242/4242/4242/4242",
  "４２４２４２４２４２４２４２４２",
  Array.from(NUMBER).join("-and-then-"),
  `99${NUMBER}00`,
];

test.each(SPELLINGS)("no field stores the number of the request's own card: %s", async (spelled) => {
  for (const body of [
    payment({ metadata: { note: spelled } }),
    payment({ metadata: { [spelled.slice(0, 40)]: "x", ...(spelled.length > 40 && { note: spelled }) } }),
    payment({ customer_id: spelled }),
    payment({ description: spelled }),
    payment({ customer_name: spelled }),
    payment({ return_url: `https://shop.example/?order=${spelled.replaceAll(" ", "%20")}` }),
    payment({ plan_id: spelled }),
    payment({ billing_address: { line1: spelled } }),
    payment({ card: { ...card, name: spelled } }),
  ]) {
    const error = await refusalOf(createPayment, body);
    expect(error.status).toBe(400);
    expect(shownDigits(error)).not.toContain("42424242");
  }
  const body = await parse(createPayment, payment());
  expect(() =>
    idempotencyOf(secret, spelled, { environmentId: "e", method: "POST", path: "/v1/payments", body }),
  ).toThrow(expect.objectContaining({ code: "idempotency_key_invalid", message: expect.not.stringContaining("4242") }));
  expect(checkoutAttemptBody.safeParse({ attempt: spelled, card }).success).toBe(false);
});

test("a number in metadata as a number is found, too", async () => {
  expect(await refusalOf(createPayment, payment({ metadata: { n: Number(NUMBER) } }))).toMatchObject({
    code: "invalid_parameter",
    param: "metadata.n",
  });
});

test("a number in metadata as a number is found when JSON has rounded it, too", async () => {
  const long = "6205500000000000004";
  const body = payment({ card: { ...card, number: long }, metadata: { n: Number(long) } });
  expect(String(Number(long))).not.toBe(long);
  expect(await refusalOf(createPayment, body)).toMatchObject({ code: "invalid_parameter", param: "metadata.n" });
});

test("a member named by the card's number, right or mistyped, is refused without its name", async () => {
  for (const number of [NUMBER, "4242424242424241"])
    for (const body of [
      payment({ card: { ...card, number, [number]: 1 } }),
      payment({ card: { ...card, number }, [number]: 1 }),
      payment({ card: { ...card, number }, [`pan ${number.match(/.{4}/g)?.join(".")}`]: 1 }),
    ])
      expect(shownDigits(await refusalOf(createPayment, body))).not.toContain("42424242");
});

test("free text holds no card number at all", async () => {
  for (const [endpoint, body] of [
    [createPayment, payment({ description: `paid with ${OTHER}` })],
    [createPayment, payment({ customer_name: OTHER })],
    [createPayment, payment({ customer_email: "5555555555554444@example.com" })],
    [createPayment, payment({ billing_address: { city: OTHER } })],
    [createClientSession, { amount: 1, currency: "USD", customer_name: OTHER }],
    [createPlan, { type: "ONE_TIME", name: OTHER, currency: "USD", full_price_amount: 1 }],
    [refundPayment, { comment: `${OTHER} 12/29 123` }],
    [voidPayment, { reason: OTHER }],
  ] as const)
    expect(shownDigits(await refusalOf(endpoint, body))).not.toContain("5555");
});

const MANY = 100_000;
const PER_BODY = 10;

test("100,000 ids, times, phone and order numbers are valid keys, ids and metadata, and returned unchanged", () => {
  const changed: string[] = [];
  for (let i = 0; i < MANY / PER_BODY; i++) {
    // Every kind is used in every place in turn.
    const made = Array.from({ length: PER_BODY }, (_, at) => identifier(i + at));
    const [key = "", id = "", ...values] = made;
    const order = Number(id.replace(/\D/g, "").slice(0, 15) || 0);
    const metadata = {
      order,
      ...Object.fromEntries(values.map((value, at) => [value, values[(at + 1) % values.length]])),
    };
    const body = createPayment.body.parse(payment({ customer_id: id, metadata }));
    const kept = idempotencyOf(secret, key, { environmentId: "e", method: "POST", path: "/v1/payments", body });
    // Compared without `expect`, which would take most of the run at this volume.
    const stored = JSON.parse(kept.body ?? "") as typeof body;
    const isSame = (found: typeof body) =>
      isDeepStrictEqual([found.customer_id, { ...found.metadata }], [id, metadata]);
    if (kept.key !== key || !isSame(body) || !isSame(stored)) changed.push(made.join(" "));
  }
  expect(changed).toEqual([]);
});
