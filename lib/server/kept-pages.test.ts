import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { withKeptPages } from "./kept-pages";
import { secureResponse } from "./next-requests";

let drawn = 0;
let addressDrawn: string | undefined;
let headersOfPage: Record<string, string> = {};
let status = 200;

/** As Next: a page with the nonce in a header and in its text, written in pieces. */
async function draw(request: IncomingMessage, response: ServerResponse): Promise<void> {
  drawn++;
  addressDrawn = request.url;
  const nonce = String(request.headers["x-cardlane-nonce"]);
  response.setHeader("vary", "rsc");
  response.setHeader("link", `</a.js>; rel=preload; nonce="${nonce}"`);
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headersOfPage });
  response.write(`<html><script nonce="${nonce}">`);
  response.write(Buffer.from("let sum = 'ä';"));
  response.end(`</script><i nonce="${nonce}"></i></html>`);
}

const server = createServer((request, response) => {
  secureResponse(request, response);
  void kept(request, response);
});
let kept = withKeptPages(draw);

type Answer = { status: number; headers: Record<string, unknown>; body: Buffer };
const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  new Promise<Answer>((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const sent = send({ port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.once("error", reject).end();
  });

const nonceIn = (answer: Answer) =>
  /'nonce-([^']+)'/.exec(String(answer.headers["content-security-policy"]))?.[1] ?? "";

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, resolve)));
afterAll(() => void server.close());
beforeEach(() => {
  kept = withKeptPages(draw);
  [drawn, headersOfPage, status] = [0, {}, 200];
});

test("a public page is drawn once, and each visitor's has the nonce of their own policy, everywhere", async () => {
  const answers = [];
  for (const coding of ["gzip", "gzip, deflate, br", "identity", "br;q=0, gzip;q=0.5", "gzip;q=0"]) {
    answers.push(await ask("/docs/reference", { "accept-encoding": coding }));
  }
  expect(drawn).toBe(1);
  const nonces = answers.map(nonceIn);
  expect(new Set(nonces).size).toBe(5);
  const [first, packed, plain, zipped, none] = answers as [Answer, Answer, Answer, Answer, Answer];
  const texts = [first.body, gunzipSync(packed.body), plain.body, gunzipSync(zipped.body), none.body];
  for (const [at, text] of texts.entries()) {
    const nonce = nonces[at];
    expect(text.toString()).toBe(
      `<html><script nonce="${nonce}">let sum = 'ä';</script><i nonce="${nonce}"></i></html>`,
    );
    expect(answers[at]?.headers.link).toBe(`</a.js>; rel=preload; nonce="${nonce}"`);
    expect(answers[at]?.headers["content-type"]).toBe("text/html; charset=utf-8");
  }
  for (const answer of [packed, plain]) {
    expect(answer.headers).toMatchObject({
      vary: "rsc, accept-encoding",
      "content-length": String(answer.body.length),
    });
  }
  const head = await ask("/docs/reference", {}, "HEAD");
  expect([head.status, head.body.length, drawn]).toEqual([200, 0, 1]);
});

test("a query or a slash makes no other page of it, and is in nobody's", async () => {
  const [first, second] = [await ask("/docs/?x=1"), await ask("/docs?y=2")];
  expect([drawn, second.status, addressDrawn]).toEqual([1, 200, "/docs"]);
  expect(second.body.toString()).toBe(first.body.toString().replaceAll(nonceIn(first), nonceIn(second)));
});

test("the search is no page for everybody: each question has its own, query and all", async () => {
  for (const path of ["/docs/search?q=refund", "/docs/search?q=void", "/docs/search"]) {
    await ask(path);
    expect(addressDrawn).toBe(path);
  }
  expect(drawn).toBe(3);
});

test("parts of a page there are none, whatever is asked with them: the browser then loads the page", async () => {
  const asked: Record<string, string>[] = [
    { rsc: "1" },
    { rsc: "", "next-router-prefetch": "1" },
    { rsc: "1", "next-url": "/x" },
  ];
  for (const headers of asked) {
    const part = await ask("/docs?_rsc=1", headers);
    expect([part.status, part.body.length, part.headers["content-type"]]).toEqual([204, 0, undefined]);
  }
  expect(drawn).toBe(0);
});

test("one that was only looked for is drawn once, too", async () => {
  for (const method of ["HEAD", "HEAD", "GET"]) {
    const answer = await ask("/docs", {}, method);
    expect([answer.status, answer.body.length > 0]).toEqual([200, method === "GET"]);
  }
  expect(drawn).toBe(1);
});

test.each([
  ["a page of a person", "/test/transactions"],
  ["the sign-in", "/sign-in"],
])("%s is drawn each time", async (_name, path) => {
  await ask(path);
  await ask(path, { rsc: "1" });
  expect(drawn).toBe(2);
});

test.each([
  ["does not exist", 404, {}],
  ["sets a cookie", 200, { "set-cookie": "a=b" }],
  ["is no page", 200, { "content-type": "application/json" }],
])("an answer that %s is not kept", async (_name, answered, headers) => {
  [status, headersOfPage] = [answered, headers as Record<string, string>];
  await ask("/docs/errors/nothing");
  expect((await ask("/docs/errors/nothing")).status).toBe(answered);
  expect(drawn).toBe(2);
});
