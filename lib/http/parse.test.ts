import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/contract/errors";
import { createPayment, refundPayment } from "@/lib/contract/operations/payments";
import { listTransactions } from "@/lib/contract/operations/transactions";
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
  test("may be absent where everything in it is optional", async () => {
    expect(await parseBody(post(null, null), refundPayment)).toEqual({});
  });

  test("with an unknown member is refused by its name, so a mistyped amount never refunds everything", async () => {
    const error = await errorOf(() => parseBody(post('{"ammount":100}'), refundPayment));
    expect(error).toMatchObject({ code: "unknown_parameter", param: "ammount" });
  });

  test("names every parameter at fault, nested ones by their path", async () => {
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

  test("that is not JSON is told where, and never quoted: it may hold a card number", async () => {
    const error = await errorOf(() =>
      parseBody(post(`{"card":{"number":'4242424242424242',"cvv":'123'}}`), createPayment),
    );
    expect(error.code).toBe("malformed_json");
    expect(error.message).not.toMatch(/4242|123/);
  });

  test("with thousands of mistakes gets an answer of a bearable size", async () => {
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
    ["?created_after=2026-02-30", "invalid_parameter", "created_after"],
    ["?__proto__=1", "unknown_parameter", "__proto__"],
  ])("%s is refused as %s", async (search, code, param) => {
    expect(await errorOf(() => parseQuery(search, listTransactions))).toMatchObject({ code, param });
  });

  test("is refused whole where none is taken", async () => {
    expect(await errorOf(() => parseQuery("?a=1", refundPayment))).toMatchObject({
      code: "unknown_parameter",
      param: "a",
    });
  });
});
