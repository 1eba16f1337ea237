import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { DASHBOARD_ENDPOINTS } from "@/lib/http/dashboard-endpoints";
import { FILES, WRITTEN_TO } from "./gate";
import { closeGracefully, createHttpServer, type Listener, onceStopping } from "./http-server";

const answer =
  (name: string): Listener =>
  async (request, response) =>
    void response.end(`${name} ${request.headers["x-forwarded-for"]}`);

let server: Server;
beforeAll(async () => {
  server = createHttpServer({ api: answer("api"), pages: answer("pages") }, () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());

/** Sends raw bytes, because client libraries would normalize these requests. */
async function say(text: string, to = server): Promise<{ status: number; head: string; body: string }> {
  const socket = connect((to.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(text);
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  return { status: Number(answer.split(" ")[1] ?? "0"), head, body };
}

const CLOSE = "Connection: close\r\n\r\n";
const get = (target: string) =>
  say(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.7\r\n${CLOSE}`);

test.each([
  ...["/./v1/transactions", "/x/../v1/transactions", "//v1/transactions", "/%2e/v1/transactions", "/x\\..\\v1"],
  ...["http://x/v1/transactions", "*", "/challenge/%ff"],
])("%s reaches neither the API nor the pages", async (target) => {
  expect(await get(target)).toMatchObject({ status: 400, body: expect.stringContaining("malformed") });
});

test("an address with letters that aren't encoded is refused with how to encode them", async () => {
  expect(await get("/v1/customers?q=李小龍")).toMatchObject({ status: 400, body: expect.stringContaining("%C3%A9") });
});

test("Next gets the connection's address, whatever the caller claims", async () => {
  expect((await get("/challenge/x")).body).toContain("pages 127.0.0.1");
});

test("every spelling of /v1 reaches the API", async () => {
  for (const target of ["/v1/transactions", "/%76%31/transactions"]) expect((await get(target)).body).toContain("api");
});

const FAMILIES = [
  ...["/v1", "/v1/payments", "/v1/payments/x/refund", "/api/auth/csrf", "/api/dashboard/team", "/", "/test", "/pay/x"],
  ...[
    "/challenge/x",
    "/demo",
    "/sdk/v1.js",
    "/health",
    "/health/live",
    "/_next/image",
    "/_next/static/x.js",
    "/outbox",
  ],
];
const isApi = (path: string) => /^\/(v1|health)/.test(path);

test.each(["TRACE", "PROPFIND", "MKCOL", "LOCK", "SEARCH", "PURGE", "M-SEARCH", "SOURCE", "QUERY"])(
  "%s never reaches the pages, and only the API receives it",
  async (method) => {
    for (const path of FAMILIES) {
      const { status, head } = await say(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${CLOSE}`);
      if (status === 400) continue; // A method that Node's parser does not know.
      expect([path, status]).toEqual([path, isApi(path) ? 200 : 405]);
      if (status === 405) expect(head).toMatch(/^allow: GET, HEAD, POST/im);
    }
  },
);

test("files allow only reads: other methods never reach Next, however the path is spelled", async () => {
  for (const name of readdirSync("public")) expect(`/${name}`).toMatch(FILES);
  for (const path of ["/sdk/v1.js", "/sdk/v1%2ejs?x", "/favicon.svg", "/_next/static/x.js", "/screenshots/x.png"]) {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const { status, head } = await say(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${CLOSE}`);
      expect([method, path, status]).toEqual([method, path, 405]);
      expect(head).toMatch(/^allow: GET, HEAD\r?$/im);
    }
    expect((await get(path)).status).toBe(200);
  }
});

test("read-only paths refuse other methods and bodies, in every spelling", async () => {
  const looked = [
    "/",
    "/docs/reference",
    "/test/transactions",
    "/demo",
    "/demo/nothing",
    "/api",
    "/api/nothing",
    "/pay/x",
  ];
  looked.push(
    "/pay/a/b",
    "/pay/x/state",
    "/challenge/x",
    "/challenge/x/state",
    "/outbox",
    "/nothing",
    "/%64ocs",
    "/_next/x",
  );
  for (const path of looked) {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const { status, head } = await say(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${CLOSE}`);
      expect([method, path, status]).toEqual([method, path, 405]);
      expect(head).toMatch(/^allow: GET, HEAD\r?$/im);
    }
    const sent = (method: string) =>
      say(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n${CLOSE}{}`);
    expect([path, (await sent("POST")).status, (await sent("GET")).status]).toEqual([path, 405, 413]);
  }
});

test("every writable path accepts a body, and no page does", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => /(?:^|\/)(?:route\.ts|page\.tsx)$/.test(file))
    .map((file) => `app/${file}`);
  expect(files.length).toBeGreaterThan(60);
  for (const file of files) {
    const path = `/${file
      .split("/")
      .slice(1, -1)
      .filter((part) => !part.startsWith("("))
      .join("/")}`.replace(/\[[^/]*\]/g, "x");
    if (/^\/(v1|mcp|health|metrics)/.test(path)) continue;
    if (/\[(?:\.\.\.path|action)\]\/route\.ts$/.test(file)) continue; // These routes serve the endpoints that are checked below.
    const writes = file.endsWith("route.ts") && /POST|PATCH|DELETE/.test(readFileSync(file, "utf8"));
    expect([file, WRITTEN_TO.test(path)]).toEqual([file, writes]);
  }
  const written = DASHBOARD_ENDPOINTS.map(({ endpoint }) => endpoint).filter(({ method }) => method !== "GET");
  expect(written.length).toBeGreaterThan(25);
  const isTaken = ({ path }: { path: string }) => WRITTEN_TO.test(path.replace(/\{[^}]*\}/g, "x"));
  expect(written.filter((endpoint) => !isTaken(endpoint)).map(({ path }) => path)).toEqual([]);
});

test("a connection that pipelines many requests is closed, and one that pipelines a few gets responses", async () => {
  const begun: string[] = [];
  const slow = createHttpServer(
    {
      api: answer("api"),
      pages: async (request, response) => {
        begun.push(request.url ?? "");
        await new Promise((resolve) => setImmediate(resolve));
        response.end("page");
      },
    },
    () => {},
  );
  slow.listen(0, "127.0.0.1");
  await once(slow, "listening");
  const line = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const few = await say(`${line("/few").repeat(9)}GET /few HTTP/1.1\r\nHost: localhost\r\n${CLOSE}`, slow);
  expect([few.status, begun.length]).toEqual([200, 10]);
  const many = await say(line("/many").repeat(1_000), slow);
  expect([many.status, begun.length]).toEqual([0, 26]);
  // The stop doesn't wait for the dropped requests.
  const before = performance.now();
  expect((await say(line("/few"), slow)).status).toBe(0);
  await closeGracefully(slow, 60_000);
  expect(performance.now() - before).toBeLessThan(30_000);
});

test.each<[string, number | readonly number[]]>([
  ["CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n", 405],
  ["MADEUP / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
  ["get / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
  ["GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 400],
  ["GET / HTTP/1.1\r\n\r\n", 400],
  ["GET / HTTP/1.0\r\n\r\n", 400],
  ["GET / HTTP/1.1\r\nHost: localhost\r\nX:\u0000\r\n\r\n", 400],
  ["GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400],
  ["\u0016\u0003\u0001\u0002\u0000\u0001", 400],
  [`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(20_000)}\r\n\r\n`, 431],
  [`GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
  ["POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400],
  ["POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400],
  ["GET http://localhost/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
  ["OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
  ["GET evil HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
  ["GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400],
  ["GET /health HTTP/1.1\r\nHost: evil.example/v1/payments?x=\r\n\r\n", 400],
  ["GET /v1/payments HTTP/1.1\r\nHost: localhost@evil.example\r\n\r\n", 400],
  ["GET /metrics HTTP/1.1\r\nHost: evil.example#\r\n\r\n", 400],
  ["GET / HTTP/1.1\r\nHost:\r\n\r\n", 400],
  ["GET /v1/payments HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\n\r\n", 400],
])("an invalid request gets an error: %j", async (text, status) => {
  const answer = await say(text);
  expect(answer.status).toBe(status);
  expect(answer.head).toMatch(/^x-request-id: req_/im);
  expect(answer.head).toMatch(/^connection: close/im);
});

const hostStatus = async (host: string, path: string, to = server) =>
  (await say(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${CLOSE}`, to)).status;

test("a sandbox accepts this machine's host names and refuses all others", async () => {
  for (const host of ["localhost", "LOCALHOST:3000", "localhost.", "127.0.0.1", "127.8.8.8:1", "[::1]:3000"]) {
    for (const path of ["/", "/v1/payments"]) expect([host, await hostStatus(host, path)]).toEqual([host, 200]);
  }
  const foreign = [
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "10.0.0.1",
    "0.0.0.0",
    "localhost@evil",
  ];
  for (const host of [
    ...foreign,
    "evil/localhost",
    "localhost:x",
    "",
    "evil.example#localhost",
    "[::1",
    "2130706433.evil",
  ]) {
    for (const path of ["/", "/v1/payments", "/healthz", "/health/live/x", "/%68ealth", "/metrics/x", "/metricsx"]) {
      expect([host, path, [400, 421].includes(await hostStatus(host, path))]).toEqual([host, path, true]);
    }
  }
});

test("health and metrics accept any host name, because load balancers and Prometheus use the address", async () => {
  for (const path of ["/health", "/health/live", "/health/ready", "/health?x=1", "/metrics", "/metrics?x=1"]) {
    expect(await hostStatus("10.1.2.3:3000", path)).toBe(200);
  }
});

test("production accepts only its own host names", async () => {
  vi.stubEnv("CARDLANE_ENV", "production");
  vi.stubEnv("BASE_URL", "https://pay.example");
  vi.stubEnv("LIVE_BASE_URL", "https://live.example:8443");
  const own = createHttpServer({ api: answer("api"), pages: answer("pages") }, () => {});
  vi.unstubAllEnvs();
  own.listen(0, "127.0.0.1");
  await once(own, "listening");
  for (const host of ["pay.example", "PAY.example:443", "pay.example.", "live.example", "live.example:8443"]) {
    expect([host, await hostStatus(host, "/", own)]).toEqual([host, 200]);
  }
  for (const host of ["localhost", "127.0.0.1:3000", "sandbox.example", "xpay.example", "pay.example.evil"]) {
    expect([host, await hostStatus(host, "/", own)]).toEqual([host, 421]);
  }
  expect(await hostStatus("10.0.0.9", "/health/ready", own)).toBe(200);
  own.close();
});

test("100 connections with unfinished headers are closed, and others are served in the meantime", async () => {
  const own = createHttpServer({ api: answer("api"), pages: answer("pages") }, () => {}, {
    arrival: { headersMs: 300, requestMs: 600 },
  });
  own.listen(0, "127.0.0.1");
  await once(own, "listening");
  const slow = Array.from({ length: 100 }, () => say("GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ", own));
  expect(await hostStatus("localhost", "/", own)).toBe(200);
  const statuses = (await Promise.all(slow)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([408]));
  own.close();
});

async function stoppingServer(drainMs: number, graceMs: number) {
  const held: (() => void)[] = [];
  const slow: Listener = async (request, response) => {
    if (request.url === "/v1/slow") await new Promise<void>((resolve) => void held.push(resolve));
    response.end(`done ${response.shouldKeepAlive}`);
  };
  const own = createHttpServer({ api: slow, pages: slow }, () => {});
  await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
  const ask = (target: string) => say(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`, own);
  const running = ask("/v1/slow");
  await vi.waitFor(() => expect(held).toHaveLength(1), { timeout: 30_000 });
  const port = (own.address() as AddressInfo).port;
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
  let isClosed = false;
  const closed = closeGracefully(own, graceMs, drainMs).then(() => {
    isClosed = true;
  });
  return { ask, running, isOpen, closed, isClosed: () => isClosed, release: () => held[0]?.() };
}

test("a stopping server serves until running requests end, asks callers to reconnect, and closes", async () => {
  const stopping = await stoppingServer(0, 20_000);
  expect((await stopping.ask("/v1/quick")).body).toContain("done false");
  expect([stopping.isClosed(), await stopping.isOpen()]).toEqual([false, true]);
  stopping.release();
  expect((await stopping.running).status).toBe(200);
  await stopping.closed;
  expect(await stopping.isOpen()).toBe(false);
});

// Concurrent, because both take two seconds.
test.concurrent("it keeps its port open during the drain, and cuts off stuck requests after the grace period", async ({
  expect,
}) => {
  const draining = await stoppingServer(2_000, 60_000);
  const started = performance.now();
  draining.release();
  await draining.running;
  expect(await draining.isOpen()).toBe(true);
  await draining.closed;
  expect(performance.now() - started).toBeGreaterThan(1_900);
  const stuck = await stoppingServer(0, 100);
  await stuck.closed;
  expect((await stuck.running).status).toBe(0);
  expect(await stuck.isOpen()).toBe(false);
});

test.concurrent("endless streams end when the server stops, and immediately if it is already stopping", async ({
  expect,
}) => {
  let begun = 0;
  const stream: Listener = async (_request, response) => {
    begun++;
    await new Promise<void>((resolve) => onceStopping(response, resolve));
    response.end("over");
  };
  const own = createHttpServer({ api: stream, pages: stream }, () => {});
  await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
  const ask = () => say("GET /v1/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n", own);
  const running = ask();
  await expect.poll(() => begun).toBe(1);
  const started = performance.now();
  const closed = closeGracefully(own, 60_000, 2_000);
  expect((await running).body).toContain("over");
  expect((await ask()).body).toContain("over");
  await closed;
  expect(performance.now() - started).toBeLessThan(30_000);
});
