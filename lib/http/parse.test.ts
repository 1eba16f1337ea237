import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/contract/errors";
import { createPayment, refundPayment } from "@/lib/contract/payments/endpoints";
import { listTransactions } from "@/lib/contract/transactions/endpoints";
import { parseBody, parseQuery } from "./parse";

const post = (body: BodyInit | null, contentType: string | null = "application/json") =>
  new Request("http://localhost/v1/payments", {
    method: "POST",
    body,
    headers: contentType === null ? {} : { "content-type": contentType },
    ...(body instanceof ReadableStream && { duplex: "half" }),
  });

async function errorOf(work: () => unknown): Promise<AppError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("a body", () => {
  test("may be absent if all its members are optional", async () => {
    expect(await parseBody(post(null, null), refundPayment)).toEqual({});
  });

  test.each([
    ["with its length", { "content-length": "14" }],
    ["in chunks", { "transfer-encoding": "chunked" }],
  ])("sent %s, but withheld by the host as its caller has left, does not count as absent", async (_, sent) => {
    // Next gives a request no body if its caller left before its handler was called.
    const { method, url } = post(null);
    const request = { method, url, headers: new Headers(sent), body: null };
    expect(await errorOf(() => parseBody(request, refundPayment))).toMatchObject({ status: 499 });
    expect(await parseBody({ ...request, headers: new Headers({ "content-length": "0" }) }, refundPayment)).toEqual({});
  });

  test("a byte order mark alone does not count as absent, which would refund everything", async () => {
    const mark = new Uint8Array([0xef, 0xbb, 0xbf]);
    expect((await errorOf(() => parseBody(post(mark), refundPayment))).code).toBe("malformed_json");
    expect((await errorOf(() => parseBody(post(mark, null), refundPayment))).code).toBe("malformed_json");
    expect((await errorOf(() => parseBody(post(new Blob([mark]).stream()), refundPayment))).code).toBe(
      "malformed_json",
    );
    const twice = new Uint8Array([...mark, ...mark]);
    expect((await errorOf(() => parseBody(post(twice), refundPayment))).code).toBe("malformed_json");
    const before = new Uint8Array([...mark, ...new TextEncoder().encode('{"amount":5}')]);
    expect(await parseBody(post(before), refundPayment)).toEqual({ amount: 5 });
  });

  test.each([
    ['{"amount":50,"amount":150}', "amount"],
    ['{"amount":50,"amount":50}', "amount"],
    [String.raw`{"amount":50,"\u0061mount":150}`, "amount"],
    ['{"card":{"number":"1","number":"2"}}', "card.number"],
    ['{"metadata":{"a":"}","b":{},"a":"{"}}', "metadata.a"],
    ['{"items":[{"a":1},{"b":[1,2],"b":"\\""}]}', "items.1.b"],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
  ])("with a duplicate member is rejected before anything else: %s", async (body, param) => {
    const error = await errorOf(() => parseBody(post(body), createPayment));
    expect(error).toMatchObject({ code: "malformed_json", param });
    expect(error.message).toBe(`${param}: Given more than once. Send each member once.`);
  });

  test("with a member given twice never repeats a card number, whole or in parts, and stays short", async () => {
    const seen: unknown[] = [];
    for (const body of [
      '{"4242":{"4242":{"4242":{"4242":1,"4242":2}}}}',
      '{"card":{"number":"4242424242424241"},"4242424242424241":1,"4242424242424241":2}',
      `${'{"a":['.repeat(5_000)}{"b":1,"b":2}${"]}".repeat(5_000)}`,
    ]) {
      const error = await errorOf(() => parseBody(post(body), createPayment, (sent) => seen.push(sent)));
      expect(error.message).not.toMatch(/4242\.?4242/);
      expect(error.message.length).toBeLessThan(200);
      expect(error.param?.length).toBeLessThanOrEqual(100);
    }
    // The request log needs the body, to mask the card in it.
    expect(seen).toHaveLength(3);
  });

  test("may repeat a name in another object and as a value", async () => {
    const body =
      '{"amount":5,"metadata":{"amount":"amount","note":"{\\"amount\\":1,\\"amount\\":2}"},"reason":"OTHER"}';
    const error = await errorOf(() => parseBody(post(body), refundPayment));
    expect(error).toMatchObject({ code: "unknown_parameter", param: "metadata" });
  });

  test("with an unknown member is refused by name, so that a mistyped amount never refunds everything", async () => {
    const error = await errorOf(() => parseBody(post('{"ammount":100}'), refundPayment));
    expect(error).toMatchObject({ code: "unknown_parameter", param: "ammount" });
  });

  test("reports every invalid parameter, nested ones by path", async () => {
    const body = JSON.stringify({
      amount: 0,
      currency: "USD",
      billing_address: { country: "XX" },
      card: { number: "1" },
    });
    const error = await errorOf(() => parseBody(post(body), createPayment));
    const codes = Object.fromEntries(error.errors.map(({ param, code }) => [param, code]));
    expect(codes).toMatchObject({
      amount: "invalid_parameter",
      "billing_address.country": "invalid_parameter",
      "card.cvv": "missing_parameter",
    });
  });

  test.each([
    ["text/plain", "unsupported_media_type"],
    [null, "unsupported_media_type"],
    ["application/json; charset=latin1", "unsupported_media_type"],
  ])("of type %s is refused", async (type, code) => {
    const request = post("{}", type);
    if (type === null) request.headers.delete("content-type");
    expect((await errorOf(() => parseBody(request, refundPayment))).code).toBe(code);
  });

  test.each(["application/json; charset=UTF-8", "application/merge-patch+json"])("of type %s is read", async (type) => {
    expect(await parseBody(post("{}", type), refundPayment)).toEqual({});
  });

  test.each(["{", "nul", '{"amount":1,}', "\u0000"])("that is not JSON is refused: %j", async (text) => {
    expect((await errorOf(() => parseBody(post(text), refundPayment))).code).toBe("malformed_json");
  });

  test("that is not JSON is refused with the position and never quoted, because it may hold a card number", async () => {
    const error = await errorOf(() =>
      parseBody(post(`{"card":{"number":'4242424242424242',"cvv":'123'}}`), createPayment),
    );
    expect(error.code).toBe("malformed_json");
    expect(error.message).not.toMatch(/4242|123/);
  });

  test("with thousands of errors gets a response of limited size", async () => {
    const metadata = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`k${i}`, null]));
    const error = await errorOf(() =>
      parseBody(post(JSON.stringify({ metadata, ["x".repeat(5_000)]: 1 })), createPayment),
    );
    expect(error.errors.length).toBeLessThanOrEqual(20);
    expect(JSON.stringify(error.errors).length).toBeLessThan(8_000);
  });

  test.each(["[]", "null", "1", '"x"'])("that is JSON but no object is refused: %s", async (text) => {
    expect((await errorOf(() => parseBody(post(text), refundPayment))).code).toBe("invalid_parameter");
  });

  const withMetadata = (text: string) =>
    `{"amount":5,"currency":"USD","payment_token":"tok_01kam000000000000000000000","metadata":${text}}`;

  test.each([
    ["12345678901234567890", "a"],
    ["-9007199254740993", "a"],
    ["1e-400", "a"],
    ["0.1234567890123456789", "a"],
    ["1.00000000000000000001", "a"],
    ["12345678901234567890e-10", "a"],
  ])("with a number that would lose precision is rejected: %s", async (number, name) => {
    const text = withMetadata(`{"say":"\\" 1","${name}":${number}}`);
    const error = await errorOf(() => parseBody(post(text), createPayment));
    expect(error).toMatchObject({ code: "invalid_parameter", param: `metadata.${name}` });
    expect(error.message).not.toContain(number);
  });

  test("with an amount of more digits than can be read is refused, not rounded", async () => {
    const error = await errorOf(() => parseBody(post('{"amount":1000.00000000000000000001}'), refundPayment));
    expect(error).toMatchObject({ code: "invalid_parameter", param: "amount" });
  });

  test("keeps numbers in any notation, and long digit runs in strings and names", async () => {
    const kept = `{"a":1e3,"b":9007199254740991,"c":-0.10,"d":1.5E-7,"e":0e0,"f":"12345678901234567890","12345678901234567891":0.30000000000000004,"g":100000000000000000000,"h":-0}`;
    const body = (await parseBody(post(withMetadata(kept)), createPayment)) as { metadata: object };
    expect(JSON.parse(JSON.stringify(body.metadata))).toEqual(JSON.parse(kept.replace("-0}", "0}")));
  });

  test.each(["__proto__", "\\u005f_proto__", "__prot\\u006f__"])(
    "with a reserved property name is rejected: %s",
    async (name) => {
      const inside = await errorOf(() => parseBody(post(withMetadata(`{"${name}":"x"}`)), createPayment));
      expect(inside).toMatchObject({ code: "invalid_parameter", param: "metadata.__proto__" });
      const beside = await errorOf(() => parseBody(post(`{"${name}":1}`), refundPayment));
      expect(beside).toMatchObject({ code: "unknown_parameter", param: "__proto__" });
    },
  );

  test("keeps names of other object properties", async () => {
    const body = await parseBody(
      post(withMetadata('{"constructor":1,"toString":"__proto__","hasOwnProperty":true}')),
      createPayment,
    );
    expect(body).toMatchObject({ metadata: { constructor: 1, toString: "__proto__", hasOwnProperty: true } });
  });

  test("over 64 KiB is refused, with and without an announced length", async () => {
    const text = JSON.stringify({ comment: "x".repeat(70_000) });
    const announced = new Request("http://localhost/", {
      method: "POST",
      body: text,
      headers: { "content-type": "application/json", "content-length": String(text.length) },
    });
    expect((await errorOf(() => parseBody(announced, refundPayment))).code).toBe("body_too_large");
    const stream = new Blob([text]).stream();
    expect((await errorOf(() => parseBody(post(stream), refundPayment))).code).toBe("body_too_large");
  });
});

describe("a query string", () => {
  test("is read into numbers and checked", () => {
    expect(parseQuery("?limit=5&offset=10&status=SETTLED", listTransactions)).toEqual({
      limit: 5,
      offset: 10,
      status: "SETTLED",
    });
  });

  test.each([
    ["?limit=5&limit=6", "invalid_parameter", "limit"],
    ["?statuss=SETTLED", "unknown_parameter", "statuss"],
    ["?limit=101", "invalid_parameter", "limit"],
    ["?limit=0", "invalid_parameter", "limit"],
    ["?limit=1.5", "invalid_parameter", "limit"],
    ["?offset=-1", "invalid_parameter", "offset"],
    ["?min_amount=5&max_amount=4", "invalid_parameter", "min_amount"],
    ["?created_after=9999-12-31T23:59:59-00:01", "invalid_parameter", "created_after"],
    ["?created_before=0001-01-01T00:00:00%2B00:01", "invalid_parameter", "created_before"],
    ["?created_after=0000-12-31", "invalid_parameter", "created_after"],
    ["?created_after=2026-02-30", "invalid_parameter", "created_after"],
    ["?__proto__=1", "unknown_parameter", "__proto__"],
  ])("%s is refused as %s", async (search, code, param) => {
    expect(await errorOf(() => parseQuery(search, listTransactions))).toMatchObject({ code, param });
  });

  test("accepts every time that the database can store", () => {
    for (const at of ["0001-01-01", "9999-12-31", "9999-12-31T23:59:59.999Z", "1969-12-31T23:59:59Z"]) {
      expect(parseQuery(`?created_after=${at}`, listTransactions)).toEqual({ created_after: at });
    }
  });

  test("with thousands of unknown names gets a response of limited size", async () => {
    const search = `?${Array.from({ length: 3_500 }, (_, i) => i).join("&")}`;
    for (const endpoint of [listTransactions, refundPayment]) {
      const { errors } = await errorOf(() => parseQuery(search, endpoint));
      expect([errors.length, errors[0]?.code]).toEqual([20, "unknown_parameter"]);
    }
  });

  test("is rejected as a whole where none is accepted", async () => {
    expect(await errorOf(() => parseQuery("?a=1", refundPayment))).toMatchObject({
      code: "unknown_parameter",
      param: "a",
    });
  });
});
