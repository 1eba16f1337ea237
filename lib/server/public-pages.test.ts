import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { secureResponse } from "./next-requests";
import { PUBLIC, withPublicPages } from "./public-pages";

const SCRIPT = 'let sum = "ä";';
const HTML = `<html><script src="/a.js" async></script><script id="_R_">${SCRIPT}</script><script>go()</script></html>`;
const digest = (text: string) => createHash("sha256").update(text).digest("base64");

let rendered: string[] = [];
let passedOn: string[] = [];
let rendering: { headers: OutgoingHttpHeaders; html: Buffer } | null = null;
let listener = publicPages();

function publicPages() {
  return withPublicPages(
    async (path) => {
      rendered.push(path);
      return rendering;
    },
    async (request, response) => {
      passedOn.push(request.url ?? "");
      response.writeHead(404, { "content-type": "text/html" }).end("not kept");
    },
  );
}

const server = createServer((request, response) => {
  secureResponse(request, response);
  void listener(request, response);
});

type Answer = { status: number; headers: IncomingMessage["headers"]; body: Buffer };
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

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, resolve)));
afterAll(() => void server.close());
beforeEach(() => {
  listener = publicPages();
  [rendered, passedOn] = [[], []];
  const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store", "x-own": "1", etag: "a" };
  rendering = { headers, html: Buffer.from(HTML) };
});

test("a public page is rendered once and served identically to all, gzipped where accepted", async () => {
  const codings = ["gzip", "gzip, deflate, br", "br;q=0, gzip;q=0.5", "identity", "gzip;q=0", "br, gzip; q=0.0", ""];
  const answers = await Promise.all(codings.map((coding) => ask("/docs/reference", { "accept-encoding": coding })));
  expect(rendered).toEqual(["/docs/reference"]);
  expect(answers.map(({ headers }) => headers["content-encoding"])).toEqual([
    ...["gzip", "gzip", "gzip"],
    ...[undefined, undefined, undefined, undefined],
  ]);
  for (const { headers, body } of answers) {
    expect((headers["content-encoding"] ? gunzipSync(body) : body).toString()).toBe(HTML);
    expect(headers).toMatchObject({ vary: "rsc, accept-encoding", "content-length": String(body.length) });
  }
});

test("its CSP allows our files and the digests of its inline scripts; other headers match other pages", async () => {
  const { headers } = await ask("/docs");
  expect(headers["content-security-policy"]).toContain(
    `script-src 'self' 'sha256-${digest(SCRIPT)}' 'sha256-${digest("go()")}'; style-src 'self'; `,
  );
  expect(headers).toMatchObject({
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
  });
  expect([headers["x-own"], headers.etag]).toEqual([undefined, undefined]);
});

test("a query or trailing slash serves the same page, and HEAD has no body", async () => {
  const [first, second] = [await ask("/docs/?x=1"), await ask("/docs?y=2")];
  expect(second.body).toEqual(first.body);
  const head = await ask("/docs", {}, "HEAD");
  expect([head.status, head.body.length, head.headers["content-length"]]).toEqual([200, 0, String(HTML.length + 1)]);
  expect(rendered).toEqual(["/docs"]);
});

test("a partial navigation request gets no content, so that the browser loads the full page", async () => {
  const asked: Record<string, string>[] = [{ rsc: "1" }, { rsc: "", "next-router-prefetch": "1" }];
  for (const headers of asked) {
    const part = await ask("/docs?_rsc=1", headers);
    expect([part.status, part.body.length, part.headers["content-type"]]).toEqual([204, 0, undefined]);
  }
  expect(rendered).toEqual([]);
});

test("a page that fails to render is forwarded, and retried at a later request", async () => {
  rendering = null;
  expect((await ask("/docs")).status).toBe(404);
  rendering = { headers: {}, html: Buffer.from(HTML) };
  expect((await ask("/docs")).status).toBe(200);
  expect([rendered, passedOn]).toEqual([["/docs", "/docs"], ["/docs"]]);
});

test.each([
  ["a user's page", "/test/transactions", "GET"],
  ["the search", "/docs/search?q=refund", "GET"],
  ["an unknown page", "/docs/errors/nothing", "GET"],
  ["a write", "/docs", "POST"],
])("%s is passed on each time", async (_name, path, method) => {
  await ask(path, {}, method);
  await ask(path, {}, method);
  expect([rendered, passedOn]).toEqual([[], [path, path]]);
});

test("every documentation page is listed, except the search and individual error codes", () => {
  const pages = readdirSync("app/docs").filter((name) => existsSync(`app/docs/${name}/page.tsx`) && name !== "search");
  const listed = [...PUBLIC].filter((path) => !path.startsWith("/docs/errors/"));
  expect(new Set(listed)).toEqual(new Set(["/", "/docs", ...pages.map((name) => `/docs/${name}`)]));
});
