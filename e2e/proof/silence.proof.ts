import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sessionCookieName } from "@/lib/auth/session-cookie";
import { testDatabase } from "../fixtures/database";
import { startTcpProxy, type TcpProxy } from "../fixtures/tcp-proxy";
import { cookieOf, testUsers } from "../fixtures/users";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client, paymentBody } from "./client";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { createTenant } from "./tenant";

/** Response times promised to callers while the database doesn't respond. */
const ANSWER_MS = 10_000;
const BACK_MS = 5_000;

/** The API host has no pages; PROOF_HOST=service has. */
const PAGES = process.env.PROOF_HOST === "service";

const { db, url } = await testDatabase();
const tenant = await createTenant(db);
let proxy: TcpProxy;
let host: ProofHost;
let client: Client;

beforeAll(async () => {
  proxy = await startTcpProxy(url);
  host = await startHost({ databaseUrl: proxy.url, env: { PROCESSOR_TIMEOUT_MS: "8000" } });
  client = new Client(tenant.apiKey, () => host.baseUrl);
});
afterAll(async () => {
  proxy?.resume();
  await host?.stop();
  await proxy?.close();
});

type Seen = { status: number; retryAfter: string | null; ms: number; text: string };

async function ask(path: string, init: RequestInit = {}): Promise<Seen> {
  const started = performance.now();
  const response = await fetch(host.baseUrl + path, {
    redirect: "manual",
    ...init,
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    ms: performance.now() - started,
    text,
  };
}

test("a database that falls silent is 503 within ten seconds everywhere, and everything works within five of its return", async () => {
  const users = await testUsers(db);
  const owner = await users.newUser("owner");
  const cookie = await cookieOf({ ...users.service, baseUrl: host.baseUrl }, owner);
  expect(cookie).toContain(sessionCookieName("merchant", host.baseUrl));
  const session = await client.until({
    key: randomUUID(),
    path: "/v1/client-sessions",
    body: { amount: 900, currency: "USD" },
  });
  const form = `/pay/${(JSON.parse(session.text) as { client_session_token: string }).client_session_token}`;
  const own = {
    Cookie: cookie,
    Origin: host.baseUrl,
    "Sec-Fetch-Site": "same-origin",
    "Content-Type": "application/json",
  };
  const keyed = { "X-Api-Key": tenant.apiKey };
  const key = randomUUID();
  const pay = () =>
    ask("/v1/payments", {
      method: "POST",
      headers: { ...keyed, "X-Idempotency-Key": key, "Content-Type": "application/json" },
      body: JSON.stringify(paymentBody()),
    });
  const shopper = { "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json" };
  const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };
  const attempt = JSON.stringify({ attempt: randomUUID(), mode: "payment", card });
  const kinds: Record<string, () => Promise<Seen>> = {
    "GET /v1": () => ask("/v1/payments", { headers: keyed }),
    "POST /v1": pay,
    "a dashboard read": () => ask("/v1/transactions", { headers: { ...own, "X-Cardlane-Mode": "test" } }),
    "a dashboard call": () => ask("/api/dashboard/test/idempotency-key?key=k", { headers: own }),
    "the form's state": () => ask(`${form}/state`, { headers: shopper }),
    "the form's payment": () => ask(`${form}/attempts`, { method: "POST", headers: shopper, body: attempt }),
    ...(PAGES && {
      "the form": () => ask(form),
      "a page": () => ask("/test/payments", { headers: { Cookie: cookie } }),
    }),
    readiness: () => ask("/health/ready"),
  };
  // Warm up: every caller authenticated, every page compiled, every connection open.
  const before = await Promise.all(
    Object.entries(kinds)
      .filter(([name]) => !["POST /v1", "the form's payment"].includes(name))
      .map(async ([name, call]) => [name, (await call()).status] as const),
  );
  process.stdout.write(`  before: ${JSON.stringify(Object.fromEntries(before))}\n`);

  proxy.fallSilent();
  const silent = await Promise.all(Object.entries(kinds).map(async ([name, call]) => [name, await call()] as const));
  const told = Object.fromEntries(
    silent.map(([name, { status, retryAfter, ms }]) => [
      name,
      `${status} after ${Math.round(ms)} ms, Retry-After ${retryAfter}`,
    ]),
  );
  process.stdout.write(`  silent: ${JSON.stringify(told, null, 1)}\n`);
  const later = await Promise.all(Object.entries(kinds).map(async ([name, call]) => [name, await call()] as const));
  const alive = await ask("/health/live");
  proxy.resume();
  const resumed = performance.now();
  for (const [name, call] of Object.entries(kinds)) {
    while ((await call()).status >= 500) {
      expect(performance.now() - resumed, name).toBeLessThan(BACK_MS);
      await wait(50);
    }
  }
  const backMs = performance.now() - resumed;
  expect(alive.status).toBe(200);
  for (const [name, { status, retryAfter, ms }] of [...silent, ...later]) {
    expect([name, status], told[name]).toEqual([name, 503]);
    expect([name, ms < ANSWER_MS]).toEqual([name, true]);
    expect([name, Number(retryAfter) > 0]).toEqual([name, true]);
  }
  expect(backMs).toBeLessThan(BACK_MS);
  const answer = await client.until({ key, path: "/v1/payments", body: paymentBody() });
  expect(answer.status).toBe(201);
  expect((await pay()).text).toBe(answer.text);
  await untilNothingIsOpen(db);
  await expectCleanBooks(db);
});

test("on a signal to stop, it is not ready immediately, finishes the running payment, and accepts no more", async () => {
  const paying = client.post({ key: randomUUID(), path: "/v1/payments", body: paymentBody({ card: "slow" }) });
  const isCalled = async () =>
    (await db.sql`select 1 from operations where environment_id = ${tenant.environmentId} and state = 'open'`).length >
    0;
  await expect.poll(isCalled, { timeout: 10_000, interval: 20 }).toBe(true);
  const stopped = performance.now();
  const ended = host.kill("SIGTERM");
  await expect.poll(async () => (await ask("/health/ready")).status, { timeout: 3_000, interval: 20 }).toBe(503);
  expect((await ask("/health/live")).status).toBe(200);
  expect((await ask("/health/ready")).status).toBe(503);
  expect((await paying).status).toBe(201);
  expect(await ended).toBe(0);
  expect(performance.now() - stopped).toBeLessThan(10_000);
  await expect(fetch(`${host.baseUrl}/health/live`)).rejects.toThrow("fetch failed");
  reportFigure(`ended ${Math.round(performance.now() - stopped)} ms after SIGTERM`);
});
