import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { withinRequest } from "@/e2e/fixtures/next-request";
import { mailRoute, noteProxy } from "@/lib/mail/mail";
import { createHttpServer } from "@/lib/server/http-server";
import { provideService } from "./current-service";
import { openOutbox, outboxPage } from "./outbox";
import { outboxLink } from "./outbox-link";

const { db } = await testDatabase();
const service = { ...testService(db), baseUrl: "http://localhost:3000" };
const SETTINGS = ["SMTP_URL", "MAIL_OUTBOX", "BASE_URL", "LISTEN_ADDRESS", "TRUSTED_PROXIES", "CARDLANE_ENV", "PORT"];

/** Clears this process's memory of a proxy, like a restart. */
const forget = () => Reflect.deleteProperty(globalThis, Symbol.for("cardlane.proxy-seen"));

beforeEach(async () => {
  for (const name of SETTINGS) vi.stubEnv(name, "");
  provideService(service);
  forget();
  await db.sql`delete from service_settings where key = 'proxy_seen'`;
});
afterEach(() => void vi.unstubAllEnvs());

const get = (path: string, cookie = "") =>
  new Request(`${service.baseUrl}${path}`, { headers: cookie === "" ? {} : { cookie } });
const pageFor = (cookie: string) => withinRequest(get("/outbox", cookie), outboxPage);
const openWith = async (link: string) => {
  const response = await openOutbox(new Request(link));
  expect([response.status, response.headers.get("location")]).toEqual([303, "/outbox"]);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
};

test("the link on the console opens the outbox, only for the browser that used it", async () => {
  const cookie = await openWith(outboxLink(service));
  expect(cookie).toMatch(/^cardlane\.outbox=/);
  expect(await pageFor(cookie)).toEqual([]);
});

test("without the link nothing can be read, whatever is sent", async () => {
  const cookie = await openWith(outboxLink(service));
  const [name, value = ""] = cookie.split("=");
  const key = new URL(outboxLink(service)).searchParams.get("key") ?? "";
  const [until = "", mac = ""] = value.split(".");
  const later = `${(Number.parseInt(until, 36) + 1).toString(36)}.${mac}`;
  for (const given of ["", "1", key, later, `${until}.`, `.${mac}`, `${value}.`, `${until}.${mac.toLowerCase()}`]) {
    expect(await pageFor(`${name}=${given}`), given).toBeNull();
  }
  for (const wrong of ["", value, later, `${key}x`, "x".repeat(10_000)]) {
    expect(await openWith(`${service.baseUrl}/outbox/open?key=${wrong}`), wrong.slice(0, 60)).toBe("");
  }
});

test("link and cookie expire after a week", async () => {
  const past = { now: () => new Date(Date.now() - 7 * 86_400_000 - 1_000) };
  expect(await openWith(outboxLink({ ...service, clock: past }))).toBe("");
  provideService({ ...service, clock: past });
  const cookie = await openWith(outboxLink({ ...service, clock: past }));
  provideService(service);
  expect(cookie).not.toBe("");
  expect(await pageFor(cookie)).toBeNull();
});

test("only a sandbox on one machine has an outbox; production and services that others can reach print or send mail", async () => {
  const routeWith = (values: Record<string, string>) => {
    for (const name of SETTINGS) vi.stubEnv(name, values[name] ?? "");
    return mailRoute(service);
  };
  expect(await routeWith({})).toBe("outbox");
  expect(await routeWith({ BASE_URL: "http://127.0.0.1:4000" })).toBe("outbox");
  const elsewhere: Record<string, string>[] = [
    { BASE_URL: "http://demo.example", CARDLANE_ENV: "sandbox" },
    { LISTEN_ADDRESS: "0.0.0.0", CARDLANE_ENV: "sandbox" },
    { TRUSTED_PROXIES: "1" },
    { MAIL_OUTBOX: "0" },
    { CARDLANE_ENV: "production", BASE_URL: "https://pay.example" },
    { CARDLANE_ENV: "production", BASE_URL: "https://pay.example", MAIL_OUTBOX: "1" },
  ];
  for (const values of elsewhere) {
    expect(await routeWith(values), JSON.stringify(values)).toBe("console");
  }
  const shared = { BASE_URL: "http://demo.example", CARDLANE_ENV: "sandbox" };
  expect(await routeWith({ ...shared, MAIL_OUTBOX: "1" })).toBe("outbox");
  expect(await routeWith({ SMTP_URL: "smtp://mail.example", MAIL_OUTBOX: "1" })).toBe("sent");
});

test("once a proxy was seen, the outbox is closed, also in other processes and after a restart", async () => {
  const cookie = await openWith(outboxLink(service));
  expect(await pageFor(cookie)).toEqual([]);
  await noteProxy(service);
  expect(await mailRoute(service)).toBe("console");
  await expect(pageFor(cookie)).rejects.toThrow("NEXT_HTTP_ERROR_FALLBACK;404");
  forget();
  expect(await mailRoute(service)).toBe("console");
  vi.stubEnv("MAIL_OUTBOX", "1");
  expect(await pageFor(cookie)).toEqual([]);
});

test("a seen proxy counts immediately, even while it cannot be stored, and is stored with the next one", async () => {
  const insert = () => {
    throw new Error("down");
  };
  await noteProxy({ ...service, db: { ...db, orm: { insert } as never } });
  expect(await mailRoute(service)).toBe("console");
  await noteProxy(service);
  forget();
  expect(await mailRoute(service)).toBe("console");
});

/** Our own host, with the outbox as its only page, behind a minimal proxy. */
async function behindProxy(headers: Record<string, string>) {
  const port = async (server: ReturnType<typeof createServer>) => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  };
  const pages = async (incoming: { headers: { cookie?: string } }, outgoing: { end(text: string): void }) => {
    const mails = await pageFor(incoming.headers.cookie ?? "").catch(() => "not found");
    outgoing.end(JSON.stringify(mails));
  };
  const noting: Promise<void>[] = [];
  const own = createHttpServer({ api: pages as never, pages: pages as never }, () => {}, {
    onProxy: () => void noting.push(noteProxy(service)),
  });
  const ownPort = await port(own);
  const proxy = createServer((incoming, outgoing) => {
    const sent = { ...incoming.headers, host: `127.0.0.1:${ownPort}`, ...headers };
    const { method, url: path } = incoming;
    incoming.pipe(
      httpRequest({ host: "127.0.0.1", port: ownPort, method, path, headers: sent }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      }),
    );
  });
  const proxyPort = await port(proxy);
  const ask = async () => (await fetch(`http://127.0.0.1:${proxyPort}/outbox`)).text();
  const answer = await ask();
  await Promise.all(noting);
  return answer;
}

test("through a proxy that adds no header, an unauthenticated caller finds the outbox locked", async () => {
  expect(await behindProxy({})).toBe("null");
  expect(await mailRoute(service)).toBe("outbox");
});

test.each(["x-forwarded-for", "X-Forwarded-Proto", "Forwarded", "Via", "X-Real-IP", "CF-Connecting-IP", "X-Client-IP"])(
  "the first request with %s closes the outbox for good",
  async (name) => {
    expect(await behindProxy({ [name]: "203.0.113.9" })).toMatch(/null|not found/);
    forget();
    expect(await mailRoute(service)).toBe("console");
  },
);
