import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isProcessAlive } from "@/db/file-lock";
import { testDatabase } from "../fixtures/database";
import { cookieOf, testUsers } from "../fixtures/users";
import { Client, paymentBody } from "./client";
import { type ProofHost, startHost } from "./host";
import { createTenant } from "./tenant";

/**
 * The whole service: first its page-rendering process is killed, then the service itself, without warning.
 */
const { db, url } = await testDatabase();
const tenant = await createTenant(db);
let host: ProofHost;
let cookie: string;

beforeAll(async () => {
  host = await startHost({ whole: true, databaseUrl: url });
  const users = await testUsers(db);
  cookie = await cookieOf({ ...users.service, baseUrl: host.baseUrl }, await users.newUser("owner"));
});
afterAll(async () => void (await host?.stop()));

const page = async (path = "/test/payments") => {
  const answer = await fetch(host.baseUrl + path, { headers: { Cookie: cookie, Accept: "text/html" } });
  return { status: answer.status, retryAfter: answer.headers.get("retry-after"), text: await answer.text() };
};
const pay = () =>
  new Client(tenant.apiKey, () => host.baseUrl).post({ key: randomUUID(), path: "/v1/payments", body: paymentBody() });

/** Child processes of a service. */
function childrenOf(pid: number): number[] {
  const all = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  return all.split("\n").flatMap((line) => {
    const [child, parent] = line.trim().split(/\s+/).map(Number);
    return child && parent === pid ? [child] : [];
  });
}

test("a page's error is in the log under the id that the page shows", async () => {
  await db.sql`alter table plans rename to plans_away`;
  const { text } = await page("/test/plans");
  await db.sql`alter table plans_away rename to plans`;
  const digest = /digest\\?":\\?"(\d+)/.exec(text)?.[1];
  expect(digest, text).toBeDefined();
  const lines = () => host.output().split("\n");
  await expect.poll(lines).toContainEqual(expect.stringContaining(`"digest":"${digest}"`));
});

test("when the pages process is killed, payments continue and a new process renders the pages", async () => {
  expect((await page()).status).toBe(200);
  const [drawing, ...others] = childrenOf(host.pid);
  expect(others).toEqual([]);
  process.kill(drawing as number, "SIGKILL");
  const seen = new Set<number>();
  const back = async () => {
    const { status, retryAfter, text } = await page();
    seen.add(status);
    if (status !== 200) expect([status, retryAfter, text.includes("briefly unavailable")]).toEqual([503, "1", true]);
    expect((await pay()).status).toBe(201);
    return status;
  };
  await expect.poll(back, { timeout: 30_000, interval: 20 }).toBe(200);
  expect(seen).toEqual(new Set([503, 200]));
  expect(childrenOf(host.pid)).not.toContain(drawing);
});

test("a service that is killed leaves no process behind", async () => {
  const children = childrenOf(host.pid);
  expect(children).toHaveLength(1);
  await host.kill("SIGKILL");
  await expect.poll(() => children.filter(isProcessAlive), { timeout: 10_000, interval: 20 }).toEqual([]);
});
