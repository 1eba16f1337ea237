import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { Database } from "@/db/client";
import { currentServing, DatabaseUnavailable, noteFailure } from "@/db/unavailable";
import { testService } from "@/e2e/fixtures/factories";
import { provideService } from "@/lib/http/current-service";
import { acquireExportSlot } from "@/lib/http/export";
import { readBody } from "@/lib/http/parse";
import { ANSWER_LIMIT_MS } from "./api-listener";
import { secureResponse } from "./next-requests";
import { watchStatements, withOutages } from "./outages";

beforeAll(() => void provideService(testService({ pools: () => [] } as unknown as Database)));

type Answered = { status: number | undefined; headers: IncomingMessage["headers"]; body: string };
type Work = (response: ServerResponse) => void | Promise<void>;
type Asked = { method?: string; accept?: string; limitMs?: number | null };

/** Sends two requests over one connection: leftovers of the first response would corrupt the second. */
async function answered(work: Work, { method = "GET", accept = "text/html", limitMs = null }: Asked = {}) {
  const server = createServer((request, response) => {
    secureResponse(request, response);
    void withOutages(request, response, limitMs, () => watchStatements(response, () => work(response)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (): Promise<Answered> => {
    const { port } = server.address() as AddressInfo;
    const request = send({
      host: "127.0.0.1",
      port,
      agent,
      method,
      path: "/test/plans?q=1",
      headers: { accept },
    }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    let body = "";
    for await (const chunk of response) body += String(chunk);
    return { status: response.statusCode, headers: response.headers, body };
  };
  try {
    const [first, second] = [await ask(), await ask()];
    expect(second.status).toBe(first.status);
    expect(second.body.length).toBe(first.body.length);
    return first;
  } finally {
    agent.destroy();
    server.close();
  }
}

/** Fails asynchronously, like a statement; the failure must still be attributed to its request. */
async function fail(error: Error = new DatabaseUnavailable("nobody there")): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  noteFailure(currentServing(), error);
}

/** Ways in which Next, its compression and our own handlers respond with 500. */
const WAYS: Record<string, Work> = {
  "status and end": (response) => void Object.assign(response, { statusCode: 500 }).end("Next's page"),
  "status and nothing": (response) => void Object.assign(response, { statusCode: 500 }).end(),
  "a head and end": (response) =>
    void response.writeHead(500, { "content-type": "text/html", "content-length": "4" }).end("page"),
  "pieces, and headers set before": (response) => {
    response.statusCode = 500;
    response.setHeader("content-encoding", "gzip");
    response.setHeader("etag", "x");
    Readable.from(["Next's ", "page"]).pipe(response);
  },
  "headers first": (response) => {
    response.statusCode = 500;
    response.flushHeaders();
    response.write("Next's ", () => response.end("page"));
  },
};

test.each(Object.entries(WAYS))("a 500 caused by the database becomes a 503 page: %s", async (_, way) => {
  const page = await answered(async (response) => {
    await fail();
    await way(response);
  });
  expect(page.status).toBe(503);
  expect(page.headers).toMatchObject({ "retry-after": "1", "cache-control": "no-store", "content-type": /^text.html/ });
  expect(page.headers["content-encoding"] ?? page.headers.etag).toBeUndefined();
  const nonce = /style-src 'self' 'nonce-([^']+)'/.exec(String(page.headers["content-security-policy"]))?.[1];
  expect(page.body).toContain(`<style nonce="${nonce}">`);
  expect(page.body).toContain('<a href="">Try again</a>');
  expect(page.body).not.toContain("Next's");
});

test("other callers get the API's format, and requests that can't be repeated get no retry link", async () => {
  const work: Work = async (response) => {
    await fail();
    response.writeHead(500).end("page");
  };
  const data = await answered(work, { accept: "*/*" });
  expect(data.headers["content-type"]).toBe("application/problem+json");
  expect(JSON.parse(data.body)).toMatchObject({ status: 503, code: "database_unavailable", instance: "/test/plans" });
  const posted = await answered(work, { method: "POST" });
  expect(posted.status).toBe(503);
  expect(posted.body).not.toContain("<a");
  expect(await answered(work, { method: "HEAD" })).toMatchObject({ status: 503, body: "" });
});

test("errors not caused by the database are unchanged, and so are responses already started", async () => {
  const fault = await answered(async (response) => {
    await fail(new Error("a mistake of ours"));
    response.writeHead(500, { "content-type": "text/html" }).end("Next's page");
  });
  expect(fault).toMatchObject({ status: 500, body: "Next's page" });
  const mended = await answered(async (response) => {
    await fail();
    response.end("a page that works without it");
  });
  expect(mended).toMatchObject({ status: 200, body: "a page that works without it" });
  const begun = await answered(async (response) => {
    response.write("skeleton ");
    await fail();
    response.end("and error");
  });
  expect(begun).toMatchObject({ status: 200, body: "skeleton and error" });
});

test("a response that does not start in time is a 503, and a late one is discarded", async () => {
  const late: ServerResponse[] = [];
  const page = await answered((response) => void late.push(response), { limitMs: 20 });
  expect(page).toMatchObject({ status: 503, body: expect.stringContaining("Try again") });
  for (const response of late) {
    response.statusCode = 200;
    response.setHeader("etag", "x");
    expect(response.write("Next's ")).toBe(true);
    await new Promise<void>((resolve) => void response.end("page", resolve));
  }
});

test.each([
  ["with its length", { "content-length": "14" }],
  ["in chunks", { "transfer-encoding": "chunked" }],
])("a body sent %s and read only after the response was replaced is not taken for an empty one", async (_, headers) => {
  let settle = (_: unknown) => {};
  const read = new Promise((resolve) => {
    settle = resolve;
  });
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    const seen = { method, url, headers: new Headers(headers), body: request };
    response.once("close", () => setImmediate(() => settle(readBody(seen).catch((error: unknown) => error))));
    withOutages(request, response, 20, () => {});
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const request = send({ host: "127.0.0.1", port, method: "POST", headers }).end('{"amount":500}');
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let body = "";
  for await (const chunk of response) body += String(chunk);
  expect([response.statusCode, JSON.parse(body).code]).toEqual([503, "database_unavailable"]);
  expect(await read).toMatchObject({ status: 499 });
});

test("an export that gets no slot is refused before the time limit of its page", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const running = [await acquireExportSlot("one"), await acquireExportSlot("another")];
  // Neither is slow enough to lose its slot.
  for (const slot of running) slot.note(1_000_000_000);
  let outcome: unknown = "none";
  acquireExportSlot("waiting").catch((error: unknown) => {
    outcome = error;
  });
  await vi.advanceTimersByTimeAsync(ANSWER_LIMIT_MS - 1);
  for (const slot of running) slot.release();
  expect(outcome).toMatchObject({ code: "rate_limited" });
});
