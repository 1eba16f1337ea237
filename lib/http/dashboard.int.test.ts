import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { testDatabase } from "@/e2e/fixtures/database";
import { cookieOf, testUsers } from "@/e2e/fixtures/users";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { provideService } from "./current-service";
import { forEverybody, forUsers, serveAll } from "./dashboard";

const { db } = await testDatabase();
const users = await testUsers(db);

beforeEach(() => void provideService(users.service));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
/** Stops the clock of the limits, of which a slow machine would get a request back. */
const freezeLimits = () => vi.spyOn(performance, "now").mockReturnValue(performance.now());

const answer = { status: 200, response: z.object({ done: z.boolean() }) } as const;
const routeOf = (method: "GET" | "POST", permission: "settings.manage" | "payment.read" | null) =>
  serveAll([
    forUsers(
      dashboardEndpoint({ ...answer, name: "sample", method, path: "/api/dashboard/sample", permission }),
      async () => ({ done: true }),
    ),
  ]);

async function call(cookie: string, ...[method, permission]: Parameters<typeof routeOf>) {
  const request = new Request("http://dashboard.test/api/dashboard/sample", {
    method,
    headers: { cookie, host: "dashboard.test", "sec-fetch-site": "same-origin" },
  });
  const response = await routeOf(method, permission)(request);
  return { status: response.status, body: await response.json(), headers: response.headers };
}

test("a suspended merchant's users can look and not act, and still manage their own accounts", async () => {
  const { newUser, merchant, service } = await testUsers(db);
  const cookie = await cookieOf(service, await newUser("owner"));
  expect((await call(cookie, "POST", "settings.manage")).status).toBe(200);
  await db.sql`update merchants set suspended_at = now() where id = ${merchant.id}`;
  const refused = await call(cookie, "POST", "settings.manage");
  expect([refused.status, refused.body.code]).toEqual([403, "merchant_suspended"]);
  expect((await call(cookie, "GET", "payment.read")).status).toBe(200);
  expect((await call(cookie, "POST", null)).status).toBe(200);
});

test("a user's requests are limited like a key's, separately for each user", async () => {
  vi.stubEnv("RATE_LIMIT_PER_SECOND", "1");
  vi.stubEnv("RATE_LIMIT_BURST", "3");
  freezeLimits();
  const { service } = provideService(users.service);
  const [one, other] = [await cookieOf(service, await users.newUser()), await cookieOf(service, await users.newUser())];
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await call(one, "GET", null)).status);
  const refused = await call(one, "GET", null);
  expect([...statuses, refused.status]).toEqual([200, 200, 200, 429]);
  expect(refused.body).toMatchObject({ code: "rate_limited", detail: expect.not.stringContaining("API key") });
  expect(refused.headers.get("retry-after")).toBe("1");
  expect((await call(other, "GET", null)).status).toBe(200);
});

test("password hashing is limited per minute, and other requests are unaffected", async () => {
  freezeLimits();
  const cookie = await cookieOf(users.service, await users.newUser());
  const costly = serveAll([
    forUsers(
      dashboardEndpoint({
        ...answer,
        name: "costly",
        method: "POST",
        path: "/api/dashboard/costly",
        permission: null,
        costly: true,
      }),
      async () => ({ done: true }),
    ),
  ]);
  const ask = () => {
    const headers = { cookie, host: "dashboard.test", "sec-fetch-site": "same-origin" };
    const request = new Request("http://dashboard.test/api/dashboard/costly", { method: "POST", headers });
    return costly(request);
  };
  const statuses: number[] = [];
  for (let i = 0; i < 21; i++) statuses.push((await ask()).status);
  expect(statuses).toEqual([...new Array(20).fill(200), 429]);
  expect((await call(cookie, "GET", null)).status).toBe(200);
});

test("an unknown path is 404, an unsupported method 405 with the allowed ones, and a literal segment precedes a placeholder", async () => {
  const named = (name: string, path: string, method: "GET" | "PATCH" | "DELETE") =>
    forEverybody(dashboardEndpoint({ ...answer, name, method, path, permission: null }), async ({ params }) => ({
      done: Object.keys(params).length === 0,
    }));
  const handler = serveAll([
    named("one", "/api/{mode}/views", "GET"),
    named("two", "/api/account/views", "GET"),
    named("three", "/api/views/{id}", "PATCH"),
    named("four", "/api/views/{id}", "DELETE"),
  ]);
  const ask = async (method: string, path: string) => {
    const headers = { host: "dashboard.test", "sec-fetch-site": "same-origin" };
    const response = await handler(new Request(`http://dashboard.test${path}`, { method, headers }));
    return { status: response.status, allow: response.headers.get("allow"), body: await response.json() };
  };
  expect(await ask("GET", "/api/account/views")).toMatchObject({ status: 200, body: { done: true } });
  expect(await ask("GET", "/api/test/views?")).toMatchObject({ status: 200, body: { done: false } });
  expect((await ask("HEAD", "/api/test/views")).status).toBe(200);
  expect(await ask("DELETE", "/api/views/%E0%A4%A")).toMatchObject({ status: 200 });
  for (const method of ["GET", "HEAD", "POST", "OPTIONS"]) {
    const wrong = { status: 405, allow: "PATCH, DELETE", body: { code: "method_not_allowed" } };
    expect(await ask(method, "/api/views/1")).toMatchObject(wrong);
  }
  for (const path of ["/api/views", "/api/views/1/2", "/api/views//", "/api/account/views/", "/api/%7Bmode%7D/view"])
    expect(await ask("GET", path)).toMatchObject({ status: 404, body: { code: "resource_not_found", instance: path } });
});
