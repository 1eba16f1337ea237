import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { Agent, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Database } from "@/db/client";
import { isProcessAlive } from "@/db/file-lock";
import { testService } from "@/e2e/fixtures/factories";
import { provideService } from "@/lib/http/current-service";
import { log } from "@/lib/log";
import { createHttpServer } from "./http-server";
import { type PagesOptions, PagesProcess } from "./pages-process";

/** A fake pages process: same protocol, with responses for the tests. */
const PAGES = `
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
const [left, asked] = [[], []];
let server;
process.once("disconnect", () => process.exit());
process.on("message", ({ start, figuresFor, alive }) => {
  if (alive) process.send({ alive });
  if (figuresFor) process.send({ figuresFor, figures: [{ name: process.env.CARDLANE_SECRET ?? "told", value: figuresFor }] });
  if (!start) return;
  if (start.root === "broken" && !existsSync(join(dirname(start.socket), "mended"))) {
    return void process.send({ failed: "no such database" }, () => process.exit(1));
  }
  (server = createServer(answer)).listen(start.socket, () => process.send({ ready: true }));
});
async function answer(request, response) {
  const url = new URL(request.url, "http://here");
  asked.push(url.pathname);
  request.on("error", () => {});
  response.on("close", () => response.writableFinished || left.push(url.pathname));
  if (url.pathname === "/api/verify-email") return void response.writeHead(413, { "content-length": "2" }).end("no");
  if (url.pathname === "/sign-in/far") return void response.writeHead(307, { location: "/" + "x".repeat(100_000) }).end();
  if (url.pathname === "/sign-in/open") return void server.getConnections((_, count) => response.end(String(count)));
  if (url.pathname === "/sign-in/asked") return void response.end(String(asked));
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  if (url.pathname === "/sign-in/dies") process.exit(7);
  if (url.pathname === "/sign-in/half") response.writeHead(200, { "content-length": "100" }).write("half", () => process.exit(7));
  else if (url.pathname === "/sign-in/waits") return;
  else {
    while (url.pathname === "/sign-in/busy" && !existsSync(url.searchParams.get("until")));
    const { method, headers } = request;
    response.writeHead(201, { "set-cookie": ["a=1", "b=2"], "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify({ method, url: request.url, headers, body, pid: process.pid, left }));
  }
}
`;

const folder = mkdtempSync(join(tmpdir(), "cardlane-pages-"));
const file = join(folder, "pages.mjs");
const connections = { sql: 2, orm: 2, store: 1, long: 0, exports: 2 };
const processOf = (options: Partial<PagesOptions> = {}) =>
  new PagesProcess({ file, dataDir: folder, root: folder, embedded: false, connections, demo: null, ...options });
let pages: PagesProcess;
let server: Server;

beforeAll(() => {
  provideService(testService({ pools: () => [] } as unknown as Database));
  writeFileSync(file, PAGES);
});
beforeEach(async () => {
  vi.stubEnv("CARDLANE_SECRET", "s".repeat(32));
  pages = processOf();
  await pages.start();
  const api = async (_: unknown, response: { end(text: string): unknown }) => void response.end("paid");
  server = createHttpServer({ api, pages: pages.listener }, (error) => expect.unreachable(String(error)));
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  server.closeAllConnections();
  server.close();
  await pages.stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Sent = { method?: string; headers?: Record<string, string>; body?: string };
const send = (path: string, { method = "GET", headers = {}, body }: Sent = {}) => {
  const { port } = server.address() as AddressInfo;
  const call = request({ host: "127.0.0.1", port, path, method, headers, agent: new Agent(), maxHeaderSize: 200_000 });
  call.end(body);
  return call;
};
async function ask(path: string, sent: Sent = {}) {
  const [response] = (await once(send(path, sent), "response")) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode, headers: response.headers, text };
}
const seen = async (path: string, sent?: Sent) => JSON.parse((await ask(path, sent)).text);

test("requests and responses are forwarded unchanged, except for connection headers", async () => {
  const path = "/api/sign-up?q=%20x";
  const headers = {
    cookie: "a=1; b=2",
    "x-made-up": "1, 2",
    "content-length": "5",
    expect: "100-continue",
    te: "trailers",
    "x-forwarded-for": "203.0.113.9",
    "x-forwarded-host": "evil.example",
    "x-cardlane-proxied": "1",
  };
  const answer = await ask(path, { method: "POST", headers, body: "hello" });
  const { headers: arrived, ...rest } = JSON.parse(answer.text);
  expect(rest).toEqual({ method: "POST", url: path, body: "hello", pid: pages.pid, left: [] });
  const { port } = server.address() as AddressInfo;
  expect(arrived).toMatchObject({
    host: `127.0.0.1:${port}`,
    cookie: "a=1; b=2",
    "x-made-up": "1, 2",
    "content-length": "5",
    "x-cardlane-proxied": "",
    "x-forwarded-for": "127.0.0.1",
    "content-security-policy": expect.stringContaining("nonce-"),
  });
  for (const name of ["expect", "te", "x-forwarded-host"]) expect(arrived).not.toHaveProperty(name);
  expect([answer.status, answer.headers["set-cookie"]]).toEqual([201, ["a=1", "b=2"]]);
  expect(answer.headers["x-content-type-options"]).toBe("nosniff");
  expect(
    (await seen("/api/sign-up", { method: "POST", headers: { "transfer-encoding": "chunked" }, body: "in parts" }))
      .body,
  ).toBe("in parts");
});

/** Sends raw bytes and returns the received text once `until` accepts it. */
async function sendBytes(bytes: string, until: (text: string) => boolean): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (data) => {
    text += String(data);
  });
  socket.write(bytes.replace("HOST", `127.0.0.1:${port}`));
  await expect.poll(() => until(text), { timeout: 10_000, interval: 10 }).toBe(true);
  socket.destroy();
  return text;
}

test.each(["GET", "HEAD", "DELETE", "OPTIONS", "POST"])("the body of a %s can't smuggle a request", async (method) => {
  const hidden = "GET /sign-in/waits HTTP/1.1\r\nhost: forged\r\nx-forwarded-for: 192.0.2.1\r\n\r\n";
  const head = `${method} /api/auth/session HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const body = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
  const text = await sendBytes(head + body, (got) => /\r\n\r\n(?:$|[\s\S]*\r\n0\r\n\r\n$)/.test(got));
  expect(text).toMatch(/^HTTP\/1.1 201 /);
  if (method !== "HEAD") expect(text).toContain(JSON.stringify(hidden).slice(1, -1));
  expect((await ask("/sign-in/asked")).text).toBe("/api/auth/session,/sign-in/asked");
  // Later requests on the same upstream connection don't get a smuggled request's response.
  for (let i = 0; i < 3; i++) expect((await seen(`/sign-in?${i}`)).url).toBe(`/sign-in?${i}`);
});

test("a caller that gets an early response and disconnects leaves no open connection", async () => {
  const head = "POST /api/verify-email HTTP/1.1\r\nHost: HOST\r\nContent-Length: 60000\r\n\r\nhello";
  for (let i = 0; i < 5; i++) expect(await sendBytes(head, (got) => got.endsWith("no"))).toMatch(/^HTTP\/1.1 413 /);
  await expect.poll(async () => Number((await ask("/sign-in/open")).text), { timeout: 10_000 }).toBeLessThan(3);
});

test("long response headers are forwarded: the sign-in redirects back to any address", async () => {
  const answer = await ask("/sign-in/far");
  expect([answer.status, answer.headers.location?.length]).toEqual([307, 100_001]);
});

test("payments get responses while a page is rendered", async () => {
  const until = join(folder, "drawn");
  const page = ask(`/sign-in/busy?until=${encodeURIComponent(until)}`);
  let isDrawn = false;
  void page.then(() => {
    isDrawn = true;
  });
  for (let i = 0; i < 20; i++) expect((await ask("/v1/payments")).text).toBe("paid");
  expect(isDrawn).toBe(false);
  writeFileSync(until, "");
  expect((await page).status).toBe(201);
});

test("a process that exits is restarted: its requests get 503, later ones wait, payments continue", async () => {
  vi.spyOn(log, "error").mockReturnValue();
  const first = pages.pid;
  const died = await ask("/sign-in/dies", { headers: { accept: "text/html" } });
  expect([died.status, died.headers["retry-after"]]).toEqual([503, "1"]);
  expect(died.text).toContain("The service is briefly unavailable");
  expect(died.text).not.toContain("database");
  const again = expect.stringContaining("is restarted");
  await expect.poll(() => vi.mocked(log.error).mock.calls, { interval: 1 }).toContainEqual([expect.anything(), again]);
  const next = ask("/sign-in");
  expect((await ask("/v1/payments")).text).toBe("paid");
  expect((await next).status).toBe(201);
  expect(pages.pid).not.toBe(first);
  expect(log.error).toHaveBeenCalledWith({ code: 7, signal: null }, again);
});

test("if the process can't be started, the service keeps running and retries", async () => {
  const error = vi.spyOn(log, "error").mockReturnValue();
  const first = pages.pid as number;
  process.kill(first, "SIGSTOP");
  const [socket] = readdirSync(folder).filter((name) => name.endsWith(".sock")) as [string];
  rmSync(join(folder, socket));
  mkdirSync(join(folder, socket));
  process.kill(first, "SIGKILL");
  const failed = expect.stringContaining("did not start");
  await expect.poll(() => error.mock.calls.length, { timeout: 10_000 }).toBeGreaterThan(1);
  expect(error).toHaveBeenCalledWith({ err: expect.objectContaining({ code: "ERR_FS_EISDIR" }) }, failed);
  rmdirSync(join(folder, socket));
  await expect.poll(async () => (await ask("/sign-in")).status, { timeout: 20_000, interval: 20 }).toBe(201);
});

test("a process that hangs is killed and replaced", async () => {
  const error = vi.spyOn(log, "error").mockReturnValue();
  const watched = processOf({ lookMs: 200 });
  await watched.start();
  const first = watched.pid as number;
  process.kill(first, "SIGSTOP");
  await expect.poll(() => watched.pid !== first, { timeout: 20_000 }).toBe(true);
  expect(error).toHaveBeenCalledWith({ pid: first }, expect.stringContaining("stopped responding"));
  await watched.stop();
});

test("a truncated response is not mistaken for a complete one", async () => {
  vi.spyOn(log, "error").mockReturnValue();
  const [response] = (await once(send("/sign-in/half"), "response")) as [IncomingMessage];
  await expect(response.toArray()).rejects.toThrow("aborted");
});

test("a request ends when its caller disconnects", async () => {
  const call = send("/sign-in/waits");
  call.on("error", () => {});
  await once(call, "socket");
  await expect.poll(async () => (await seen("/sign-in")).pid).toBe(pages.pid);
  call.destroy();
  await expect
    .poll(async () => (await seen("/sign-in")).left, { timeout: 20_000, interval: 20 })
    .toEqual(["/sign-in/waits"]);
});

test("secrets arrive over the channel and are not exposed elsewhere; metrics are returned", async () => {
  expect(await pages.figures()).toEqual([{ name: "told", value: 1 }]);
});

test("a process that fails to start reports the reason and is retried; the service keeps running", async () => {
  const error = vi.spyOn(log, "error").mockReturnValue();
  const own = mkdtempSync(join(folder, "broken-"));
  const broken = processOf({ root: "broken", dataDir: own, holdMs: 20 });
  server.close();
  server = createHttpServer({ api: async () => {}, pages: broken.listener }, () => {});
  await once(server.listen(0, "127.0.0.1"), "listening");
  await expect(broken.start()).rejects.toThrow("no such database");
  expect(await broken.figures()).toBeNull();
  const page = await ask("/sign-in", { headers: { accept: "text/html" } });
  expect([page.status, page.headers["retry-after"]]).toEqual([503, "2"]);
  expect(page.text).toContain("The service is starting");
  expect(page.text).toContain('<meta http-equiv="refresh" content="2">');
  const written = await ask("/api/sign-up", { method: "POST", body: "{}", headers: { accept: "text/html" } });
  expect([written.status, written.text.includes("refresh")]).toEqual([503, false]);
  const data = await ask("/sign-in");
  expect([data.status, JSON.parse(data.text).detail]).toEqual([503, expect.stringContaining("Pages are starting")]);
  await expect.poll(() => error.mock.calls.length, { timeout: 10_000 }).toBeGreaterThan(1);
  writeFileSync(join(own, "mended"), "");
  await expect.poll(async () => (await ask("/sign-in")).status, { timeout: 20_000, interval: 20 }).toBe(201);
  await broken.stop();
});

test("on stop, the process exits and its socket is removed", async () => {
  const pid = pages.pid as number;
  await pages.stop();
  expect(isProcessAlive(pid)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.endsWith(".sock"))).toEqual([]);
  expect(existsSync(file)).toBe(true);
});
