import { beforeAll, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { withinRequest } from "@/e2e/fixtures/next-request";
import { isSessionAlive, TEST_PASSWORD, testUsers } from "@/e2e/fixtures/users";
import { provideService } from "./current-service";
import { signInRoutes } from "./sign-in-routes";

const { db } = await testDatabase();
const users = await testUsers(db);
const { service } = users;
const FORM = { "content-type": "application/x-www-form-urlencoded" };

beforeAll(() => provideService(service));

type Sent = { method?: string; headers?: Record<string, string>; body?: string | ReadableStream };

async function send(path: string, { method = "GET", headers = {}, body }: Sent = {}) {
  const request = new Request(`${service.baseUrl}/api/auth/${path}`, {
    method,
    headers: { "x-forwarded-for": "192.0.2.7", ...(method === "POST" && { origin: service.baseUrl }), ...headers },
    ...(body !== undefined && { body, duplex: "half" }),
  });
  const routes = signInRoutes("merchant");
  const context = { params: Promise.resolve({ nextauth: (path.split("?")[0] as string).split("/") }) };
  return withinRequest(request, () => (method === "GET" ? routes.GET : routes.POST)(request, context));
}

const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");

async function csrf() {
  const response = await send("csrf");
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  return { csrfToken, cookie: cookiesOf(response) };
}

async function signIn(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const { csrfToken, cookie } = await csrf();
  const body = new URLSearchParams({ csrfToken, json: "true", ...fields }).toString();
  const response = await send("callback/credentials", {
    method: "POST",
    headers: { ...FORM, ...headers, cookie },
    body,
  });
  return { response, url: ((await response.json()) as { url: string }).url };
}

test("messages to next-auth's log endpoint reach no log", async () => {
  for (const audience of ["merchant", "staff"] as const) {
    const request = new Request(`${service.baseUrl}/api/auth/_log`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ level: "error", code: "x", message: "postgres://".repeat(5_000) }),
    });
    const context = { params: Promise.resolve({ nextauth: ["_log"] }) };
    expect((await withinRequest(request, () => signInRoutes(audience).POST(request, context))).status).toBe(404);
  }
});

test("a sign-in sets a cookie", async () => {
  const { user } = await users.newUser("owner");
  const { response, url } = await signIn({ email: user.email, password: TEST_PASSWORD });
  expect(new URL(url).searchParams.get("error")).toBeNull();
  expect(cookiesOf(response)).toContain("cardlane.session=");
});

/** Signs in and returns the browser's cookies. */
async function signedIn() {
  const { user } = await users.newUser("owner");
  const { response } = await signIn({ email: user.email, password: TEST_PASSWORD });
  const [session] = await db.sql`select id from user_sessions where user_id = ${user.id} order by id desc limit 1`;
  const { csrfToken, cookie } = await csrf();
  return { sessionId: session?.id as string, csrfToken, cookie: `${cookie}; ${cookiesOf(response)}` };
}

const signOut = ({ csrfToken, cookie }: { csrfToken: string; cookie: string }) =>
  send("signout", {
    method: "POST",
    headers: { ...FORM, cookie },
    body: new URLSearchParams({ csrfToken, json: "true" }).toString(),
  });

test("a sign-out ends the session and clears the cookie", async () => {
  const browser = await signedIn();
  const response = await signOut(browser);
  expect(response.status).toBe(200);
  expect(response.headers.getSetCookie().join()).toMatch(/cardlane\.session=;/);
  expect(await isSessionAlive(db, browser.sessionId)).toBe(false);
});

test("a sign-out that could not end the session reports it and keeps the cookie", async () => {
  const browser = await signedIn();
  const down = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const sql = (() => Promise.reject(down)) as never;
  provideService({ ...service, db: { ...db, sql } });
  const response = await signOut(browser).finally(() => provideService(service));
  expect(response.status).toBe(503);
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(await isSessionAlive(db, browser.sessionId)).toBe(true);
});

test("a sign-in that could not be checked is a server error without database text, or an outage", async () => {
  const { user } = await users.newUser("owner");
  await db.sql`create function refuse_sessions() returns trigger language plpgsql as
    $$ begin raise exception 'words of the database' using errcode = new.user_agent; end $$`;
  await db.sql`create trigger refuse_sessions before insert on user_sessions for each row
    when (new.user_agent ~ '^[0-9A-Z]{5}$') execute function refuse_sessions()`;
  const { csrfToken, cookie } = await csrf();
  const body = new URLSearchParams({ csrfToken, json: "true", email: user.email, password: TEST_PASSWORD }).toString();
  // SQL states: invalid data, and a full disk.
  for (const [code, status] of [["22000", 500] as const, ["53100", 503] as const]) {
    const headers = { ...FORM, "user-agent": code, cookie };
    const response = await send("callback/credentials", { method: "POST", headers, body });
    expect(response.status).toBe(status);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(response.headers.get("retry-after")).toBe(status === 503 ? "1" : null);
    expect(await response.text()).not.toContain("words");
  }
});

test.each(["signout", "callback/credentials"])("a body that is too large is not read at %s", async (path) => {
  let given = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      given++;
      controller.enqueue(new Uint8Array(64 * 1024).fill(97));
    },
  });
  const response = await send(path, { method: "POST", headers: FORM, body });
  expect(response.status).toBe(413);
  expect(given).toBeLessThan(5);
});

test("a password that no account can have is refused without hashing", async () => {
  const { user } = await users.newUser("owner");
  const { url } = await signIn({ email: user.email, password: "x".repeat(1_001) });
  expect(new URL(url).searchParams.get("error")).toBe("wrong");
  const [row] = await db.sql`select failed_sign_ins from users where id = ${user.id}`;
  expect(row?.failed_sign_ins).toBe(0);
});

test.each(["a\u0000@b.example", "\ud800@b.example"])("an impossible address is unknown: %j", async (email) => {
  const { url } = await signIn({ email, password: TEST_PASSWORD });
  expect(new URL(url).searchParams.get("error")).toBe("wrong");
});

test.each(["{", "[]", "null", '"text"'])("JSON that is no object is refused: %s", async (body) => {
  const response = await send("callback/credentials", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "malformed_json" });
});

test("a JSON body counts as its form, without members that are not text", async () => {
  const body = JSON.stringify({ csrfToken: { a: 1 }, callbackUrl: 7, email: [], json: "true" });
  const response = await send("callback/credentials", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  expect(response.status).toBe(200);
});

test("a sign-in accepts only POST", async () => {
  const response = await send("callback/credentials");
  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
});

const EVIL = [
  "\\\\evil",
  "\\\\\\\\evil.example",
  "//evil.example",
  "https://evil.example/",
  "javascript:alert(1)",
  "http://",
  "%ff",
  "\u0000",
];

test.each(EVIL)(
  "callbackUrl=%j leads to a page of our own, in a form, in the address and in a cookie",
  async (evil) => {
    const isOwn = (url: string) => new URL(url, service.baseUrl).origin === new URL(service.baseUrl).origin;
    const { user } = await users.newUser("owner");
    const { response, url } = await signIn({ email: user.email, password: TEST_PASSWORD, callbackUrl: evil });
    expect([response.status, isOwn(url)]).toEqual([200, true]);
    const cookie = `cardlane.callback=${encodeURIComponent(evil)}`;
    for (const path of ["csrf", "signin", "session", "providers", "error", "signout", "verify-request", "nothing"]) {
      const answer = await send(`${path}?callbackUrl=${encodeURIComponent(evil)}`, { headers: { cookie } });
      expect([path, answer.status < 500]).toEqual([path, true]);
      expect(answer.headers.getSetCookie().join()).not.toContain("callback");
      expect([path, isOwn(answer.headers.get("location") ?? "/")]).toEqual([path, true]);
    }
  },
);

test.each(["card \u{1d7d0}", "a\nb", "", "x".repeat(200)])(
  "a made-up error, %j, redirects to the sign-in",
  async (made) => {
    const error = encodeURIComponent(made);
    for (const path of [`error?error=${error}`, `error/${error}`, "error?error=wrong"]) {
      const answer = await send(path);
      const [, told] = /\/sign-in\?error=(\w+)$/.exec(answer.headers.get("location") ?? "") ?? [];
      expect([path, answer.status, told]).toEqual([path, 302, path.endsWith("=wrong") ? "wrong" : "Default"]);
    }
  },
);

const sessionsOf = (userId: string) =>
  db.sql`select id, revoked_at from user_sessions where user_id = ${userId} order by id`;

test("a wrong password and an unknown address are refused after the same minimum time", async () => {
  const { user } = await users.newUser("owner");
  for (const email of [user.email, "nobody@shop.example"]) {
    const startedMs = performance.now();
    const { url } = await signIn({ email, password: "wrong" });
    expect(new URL(url).searchParams.get("error")).toBe("wrong");
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(395);
  }
});

test.each([
  ["another site's page", { origin: "https://evil.example" }],
  ["another site's page on an old browser", { origin: "null" }],
  ["a page that reveals nothing about itself", { origin: "" }],
  ["another site, whatever its origin", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
  ["a sibling domain", { "sec-fetch-site": "same-site" }],
])("%s neither signs in nor out", async (_, headers: Record<string, string>) => {
  const { user } = await users.newUser("owner");
  const before = await sessionsOf(user.id);
  const { csrfToken, cookie } = await csrf();
  const fields = { csrfToken, json: "true", email: user.email, password: TEST_PASSWORD };
  for (const path of ["callback/credentials", "signout", "signin/credentials"]) {
    const body = new URLSearchParams(fields).toString();
    const response = await send(path, { method: "POST", headers: { ...FORM, ...headers, cookie }, body });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "origin_not_allowed" });
    expect(response.headers.getSetCookie()).toEqual([]);
  }
  expect(await sessionsOf(user.id)).toEqual(before);
});
