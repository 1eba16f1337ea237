import { ENDPOINTS } from "@/lib/contract/endpoints";
import { createPayment, getPayment, listPayments, refundPayment } from "@/lib/contract/payments/endpoints";
import { listTransactions, searchTransactions } from "@/lib/contract/transactions/endpoints";
import type { Api } from "../client";
import { identifier } from "../fixtures/identifiers";
import { expect, test } from "../fixtures/playwright";
import { aPayment, aPlan, captured } from "../samples";

const JSON_TYPE = { "Content-Type": "application/json" };
const create = (body: string | Buffer | (string | Buffer)[], headers: Record<string, string> = JSON_TYPE) => ({
  method: "POST",
  path: "/v1/payments",
  headers: { "X-Idempotency-Key": "wire", ...headers },
  body,
});

test("every request has its own id", async ({ api }) => {
  const answers = await Promise.all([api.call(listPayments), api.call(listPayments)]);
  expect(answers[0]?.headers.get("x-request-id")).not.toBe(answers[1]?.headers.get("x-request-id"));
});

for (const path of ["/v1", "/v1/nothing", "/v1/payments/pay_x/nothing", "/v1/payments/pay_x/refund/again"]) {
  test(`an unknown path is 404 in the error shape: ${path}`, async ({ api }) => {
    (await api.raw({ method: "GET", path })).problem("resource_not_found");
  });
}

for (const path of new Set(ENDPOINTS.map((endpoint) => endpoint.path))) {
  test(`a wrong method is 405 and names the right ones: ${path}`, async ({ api }) => {
    const methods: string[] = ENDPOINTS.filter((endpoint) => endpoint.path === path).map(({ method }) => method);
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((name) => !methods.includes(name))) {
      const answer = await api.raw({ method, path: path.replace("{id}", "some-id") });
      answer.problem("method_not_allowed");
      const allowed = (answer.headers.get("allow") ?? "").split(/, */);
      expect(allowed.filter((name) => !["HEAD", "OPTIONS"].includes(name)).sort()).toEqual([...methods].sort());
    }
  });
}

test("a body of 64 KiB is accepted, one more byte is 413", async ({ api }) => {
  const body = JSON.stringify(aPayment());
  const answer = await api.raw(create(body.padEnd(65_536)));
  expect(answer.status).toBe(201);
  (await api.raw(create(body.padEnd(65_537)))).problem("body_too_large");
});

test("a chunked body is accepted, and stopped above 64 KiB", { tag: "@next" }, async ({ api }) => {
  const body = JSON.stringify(aPayment());
  expect((await api.raw(create([body.slice(0, 10), body.slice(10)]))).status).toBe(201);
  (await api.raw(create(Array.from({ length: 9 }, () => " ".repeat(8_192))))).problem("body_too_large");
});

test("a body that is not declared as JSON is 415", { tag: "@next" }, async ({ api }) => {
  const body = JSON.stringify(aPayment());
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "json"]) {
    (await api.raw(create(body, { "Content-Type": type }))).problem("unsupported_media_type");
  }
  (await api.raw(create(body, {}))).problem("unsupported_media_type");
});

test("JSON's media type is accepted in any case and with a charset", async ({ api }) => {
  const answer = await api.raw(
    create(JSON.stringify(aPayment()), { "Content-Type": "Application/JSON; charset=UTF-8" }),
  );
  expect(answer.status).toBe(201);
});

test("a body that isn't JSON is malformed_json", async ({ api }) => {
  for (const body of ['{"amount":', "{amount:1}", "[1,]", '{"amount":1}x', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])]) {
    (await api.raw(create(body))).problem("malformed_json");
  }
});

test("JSON that is not an object is invalid_parameter", async ({ api }) => {
  for (const body of ["[]", "1", '"text"', "null", "true"]) {
    (await api.raw(create(body))).problem("invalid_parameter");
  }
});

test("an unknown member is refused by name, at any depth", async ({ api }) => {
  const unknown = async (body: object, param: string) => {
    const refusal = (await api.call(createPayment, { body })).problem("unknown_parameter");
    expect(refusal.param).toBe(param);
  };
  await unknown(aPayment({ ammount: 1 }), "ammount");
  await unknown(aPayment({ billing_address: { zip: "1" } }), "billing_address.zip");
  await unknown(aPayment({ card: { ...aPayment().card, pin: "1" } }), "card.pin");
  const search = await api.call(searchTransactions, { body: { filters: { card: "visa" } } });
  expect(search.problem("unknown_parameter").param).toBe("filters.card");
});

test("a mistyped amount on a refund refunds nothing", async ({ api }) => {
  const { id } = await captured(api);
  const refused = await api.call(refundPayment, { id, body: { ammount: 100 } });
  expect(refused.problem("unknown_parameter").param).toBe("ammount");
  expect((await api.call(getPayment, { id })).ok()).toMatchObject({ status: "CAPTURED", amount_refunded: 0 });
});

test("an unknown query parameter is refused by name, on every endpoint", async ({ api }) => {
  for (const endpoint of ENDPOINTS.filter(({ permissions }) => permissions.length > 0)) {
    const body = endpoint.method === "GET" ? undefined : endpoint.name === "createPlan" ? aPlan() : {};
    const answer = await api.call(endpoint, { id: "some-id", query: { statuss: "SETTLED" }, body });
    expect(answer.problem("unknown_parameter").param, endpoint.name).toBe("statuss");
  }
});

test("a query parameter given twice is 400", async ({ api }) => {
  const refusal = (await api.call(listTransactions, { query: "limit=1&limit=2" })).problem("invalid_parameter");
  expect(refusal.param).toBe("limit");
  (await api.call(listTransactions, { query: "status=SETTLED&status=SETTLED" })).problem("invalid_parameter");
});

test("every member at fault is named, the first one as param", async ({ api }) => {
  const body = { amount: -1, currency: "usd", card: aPayment().card, surprise: true };
  const refusal = (await api.call(createPayment, { body })).problem("invalid_parameter");
  expect(refusal.errors.map((error) => [error.param, error.code])).toEqual(
    expect.arrayContaining([
      ["amount", "invalid_parameter"],
      ["currency", "invalid_parameter"],
      ["surprise", "unknown_parameter"],
    ]),
  );
});

test("a missing member is missing_parameter", async ({ api }) => {
  const { amount: _, ...withoutAmount } = aPayment();
  expect((await api.call(createPayment, { body: withoutAmount })).problem("missing_parameter").param).toBe("amount");
  const { card: __, ...withoutCard } = aPayment();
  expect((await api.call(createPayment, { body: withoutCard })).problem("missing_parameter").param).toBe(
    "payment_token",
  );
});

test("amounts are whole numbers of minor units within their range", async ({ api }) => {
  for (const amount of [0, -1, 10.5, "100", null, true, [], 1_000_000_000_000, Number.MAX_SAFE_INTEGER]) {
    const refusal = (await api.call(createPayment, { body: aPayment({ amount }) })).problem("invalid_parameter");
    expect(refusal.param).toBe("amount");
  }
  for (const amount of [1, 999_999_999_999]) expect((await captured(api, { amount })).amount).toBe(amount);
});

test("all ISO 4217 currencies are accepted in capitals", async ({ api }) => {
  for (const currency of ["USD", "EUR", "JPY", "KWD", "CLF", "ISK"]) {
    expect((await captured(api, { currency })).currency).toBe(currency);
  }
  for (const currency of ["usd", "US", "USDT", 840]) {
    (await api.call(createPayment, { body: aPayment({ currency }) })).problem("invalid_parameter");
  }
  (await api.call(createPayment, { body: aPayment({ currency: "ZZZ" }) })).problem("currency_not_supported");
});

test("ids sort in the order of creation", async ({ api }) => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push((await captured(api)).id);
  expect([...ids].sort()).toEqual(ids);
});

const PAYMENTS = 150;
const AT_ONCE = 10;

/** Every kind of identifier once in each of four places: 600 in all. */
const identifiersOf = (turn: number) =>
  [0, 1, 2, 3].map((at) => identifier(turn + 2 * at)) as [string, string, string, string];

/** Pays with a merchant's own identifiers, checks the response, and repeats the same request. */
async function pay(api: Api, turn: number): Promise<void> {
  const [key, customer_id, order_id, name] = identifiersOf(turn);
  const own = { customer_id, metadata: { order_id, [name]: name } };
  const body = aPayment(own);
  const first = await api.call(createPayment, { key, body });
  expect(first.ok()).toMatchObject(own);
  const again = await api.call(createPayment, { key, body });
  expect([again.replayed, again.text]).toEqual([true, first.text]);
  const id = first.ok().id;
  expect((await api.call(getPayment, { id })).ok()).toMatchObject(own);
  // Some order numbers look like card numbers; they remain identifiers in filters, too.
  const found = (await api.call(listPayments, { query: { customer_id } })).ok();
  expect(found.data.map((payment) => payment.id)).toContain(id);
}

test("UUIDs, snowflakes, times, phone and order numbers are valid keys, ids and metadata, and returned unchanged", {
  tag: "@prove",
}, async ({ api }) => {
  let turn = 0;
  const worker = async () => {
    while (turn < PAYMENTS) await pay(api, turn++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
});
