import { connect } from "node:net";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { createPayment, refundPayment } from "@/lib/contract/payments/endpoints";
import { listTransactions, searchTransactions } from "@/lib/contract/transactions/endpoints";
import { expect, test } from "../fixtures/playwright";
import { aPayment, captured } from "../samples";

const HEADERS = { "Content-Type": "application/json", "X-Idempotency-Key": "hostile" };
const post = (path: string, body: string | Buffer) => ({ method: "POST", path, headers: HEADERS, body });
const with_ = (member: string, json: string) =>
  JSON.stringify(aPayment()).replace(/}$/, `,${JSON.stringify(member)}:${json}}`);

// The client already rejects any 5xx; these must be plain 400s.
for (const [what, body] of [
  ["a NUL in a text", with_("description", '"a\\u0000b"')],
  ["a NUL in a key of metadata", with_("metadata", '{"a\\u0000":1}')],
  ["a NUL in a value of metadata", with_("metadata", '{"a":"\\u0000"}')],
  ["half a surrogate pair", with_("customer_name", '"\\ud800"')],
  ["half a surrogate pair in metadata", with_("metadata", '{"a":"\\udc00"}')],
  ["__proto__", with_("__proto__", '{"amount":1}')],
  ["constructor", with_("constructor", '{"prototype":{}}')],
  ["a number beyond all numbers", with_("metadata", '{"a":1e400}')],
  ["an amount beyond all numbers", `{"amount":1e400,"currency":"USD"}`],
  ["an amount of many digits", `{"amount":${"9".repeat(400)},"currency":"USD"}`],
  ["a tiny fraction", `{"amount":1.0000000000000001e-300,"currency":"USD"}`],
  ["nested objects, deep", with_("metadata", `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`)],
  ["nested arrays, deep", `${"[".repeat(30_000)}${"]".repeat(30_000)}`],
  ["a hundred unknown members", `{${Array.from({ length: 100 }, (_, i) => `"m${i}":1`).join(",")}}`],
  ["a name of 60 KiB", with_("x".repeat(60_000), "1")],
  ["a text of 60 KiB", with_("description", `"${"x".repeat(60_000)}"`)],
  ["NaN", with_("metadata", '{"a":NaN}')],
  ["a comment", `/* */ ${JSON.stringify(aPayment())}`],
  ["a byte order mark alone", "\ufeff"],
  ["a text that is not UTF-8", Buffer.from(with_("description", '"x"').replace('"x"', '"\u00e9"'), "latin1")],
  ["UTF-16", Buffer.from(JSON.stringify(aPayment()), "utf16le")],
] as const) {
  test(`a payment with ${what} is 400`, async ({ api }) => {
    const answer = await api.raw(post("/v1/payments", body));
    expect(answer.status, answer.text.slice(0, 500)).toBe(400);
    expect(answer.text.length).toBeLessThan(100_000);
  });
}

test("unusual but valid text is returned unchanged", async ({ api }) => {
  for (const text of [
    "😀 ünïcödé \u202e",
    "'; drop table payments; --",
    "<script>alert(1)</script>",
    "\\u0000",
    "a\nb\tc",
    "\u007f\u0080",
  ]) {
    const payment = await captured(api, { description: text, metadata: { [text.slice(0, 40)]: text } });
    expect(payment.description).toBe(text);
    expect(payment.metadata[text.slice(0, 40)]).toBe(text);
  }
});

test("metadata may use the names of Object's properties", async ({ api }) => {
  const answer = await api.raw(
    post("/v1/payments", with_("metadata", '{"constructor":"a","toString":"b","hasOwnProperty":"c"}')),
  );
  expect(answer.status, answer.text).toBe(201);
  expect(JSON.parse(answer.text).metadata).toEqual({ constructor: "a", toString: "b", hasOwnProperty: "c" });
});

for (const query of [
  "customer_id=%00",
  "customer_id=%",
  "customer_id=%zz",
  "customer_id=%c3",
  "customer_id=%ed%a0%80",
  "%00=1",
  "__proto__=1",
  "constructor=1",
  "limit[]=1",
  "limit[gte]=1",
  "limit=1&limit=1",
  "limit=NaN",
  "limit=Infinity",
  "limit=0x10",
  "limit=%D9%A1",
  "offset=1e9",
  "offset=99999999999999999999999",
  "min_amount=999999999999999999999",
  "created_after=%2B275760-09-13T00:00:00.001Z",
  "created_after=-271821-04-20T00:00:00Z",
  "created_after=0000-00-00",
  "starting_after=%00",
  `customer_id=${"x".repeat(256)}`,
  `${"x".repeat(2_000)}=1`,
  "=1",
  "&&&=&",
]) {
  test(`a list with ?${query.slice(0, 60)} is no 5xx`, async ({ api }) => {
    const answer = await api.raw({ method: "GET", path: `/v1/transactions?${query}` });
    expect([200, 400, 404], answer.text).toContain(answer.status);
  });
}

for (const path of [
  "/v1/payments/%",
  "/v1/payments/%zz",
  "/v1/payments/%00",
  "/v1/payments/%c3%28",
  "/v1/payments/..%2f..%2fetc",
  "/v1/payments/%2e%2e",
  "/v1/payments/a%2Fb",
  "/v1/payments/%F0%9F%98%80",
  "/v1/payments/{id}",
  "/v1/payments/{id}/refund",
  "/v1/%70ayments/x",
  `/v1/payments/${"x".repeat(8_000)}`,
  "/v1/payments//refund",
  "/v1//payments",
]) {
  test(`the path ${path.slice(0, 40)} is no 5xx`, async ({ api }) => {
    const url = new URL(api.baseUrl);
    const status = await new Promise<number>((resolve, reject) => {
      const socket = connect(Number(url.port), url.hostname, () => {
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nX-Api-Key: ${api.apiKey}\r\nConnection: close\r\n\r\n`,
        );
      });
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString();
      });
      socket.on("close", () => resolve(Number(text.split(" ")[1])));
      socket.on("error", reject);
    });
    expect([301, 307, 308, 400, 404, 405]).toContain(status);
  });
}

test("header values at their limits", async ({ api }) => {
  const send = (key: string | string[]) =>
    api.raw({ ...post("/v1/payments", JSON.stringify(aPayment())), headers: { ...HEADERS, "X-Idempotency-Key": key } });
  expect((await send("k".repeat(255))).status).toBe(201);
  expect((await send("k".repeat(256))).status).toBe(400);
  expect((await send("é".repeat(255))).status).toBe(201);
  expect((await send("\t ")).status).toBe(400);
  expect([201, 400]).toContain((await send(["a", "b"])).status);
  expect([200, 401]).toContain(
    (await api.raw({ method: "GET", path: "/v1/payments", headers: { "X-Api-Key": "é" } })).status,
  );
});

test("every endpoint rejects an array or text as its body in the same way", { tag: "@next" }, async ({ api }) => {
  for (const endpoint of ENDPOINTS.filter(({ body, takesFile }) => body && !takesFile)) {
    for (const body of ["[]", '"x"', "0", "null"]) {
      (await api.raw({ ...post(endpoint.path.replace("{id}", "x"), body), method: endpoint.method })).problem(
        "invalid_parameter",
      );
    }
  }
});

test("SQL in a value is only text", async ({ api }) => {
  await captured(api);
  const filters = { customer_id: "' or true --", customer_email: "%", card_last4: "4242" };
  expect((await api.call(searchTransactions, { body: { filters } })).ok().total).toBe(0);
  expect((await api.call(listTransactions, { query: { customer_id: "%" } })).ok().total).toBe(0);
  expect((await api.call(listTransactions, { query: { customer_id: "_" } })).ok().total).toBe(0);
});

test("a caller that hangs up while sending a body leaves nothing behind", async ({ api }) => {
  const url = new URL(api.baseUrl);
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname, () => {
      const head = `POST /v1/payments HTTP/1.1\r\nHost: ${url.host}\r\nX-Api-Key: ${api.apiKey}\r\nX-Idempotency-Key: cut\r\n`;
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"amount":`, () =>
        socket.destroy(),
      );
    });
    socket.on("close", () => resolve());
    socket.on("error", reject);
  });
  expect((await api.call(createPayment, { key: "cut", body: aPayment() })).status).toBe(201);
});

test("a refund amount can't be negative, infinite or a string, and nothing is refunded", async ({ api }) => {
  const { id } = await captured(api);
  for (const amount of ["-1", "1e400", '"1"', "[1]", '{"$gt":0}', "1.5", "true", "-0", "0"]) {
    const answer = await api.raw(post(`/v1/payments/${id}/refund`, `{"amount":${amount}}`));
    answer.problem("invalid_parameter");
  }
  expect((await api.call(refundPayment, { id })).ok().amount_refunded).toBe(10_000);
});
