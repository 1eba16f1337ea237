import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { testDatabase } from "../fixtures/database";
import { createTestMerchant, TEST_METRICS_TOKEN, testService } from "../fixtures/factories";
import { type ProofHost, startHost } from "./host";
import { installedProxies, NAME, type RunningProxy, read, startProxy } from "./proxies";

/** The production guide's proxies (those installed here) before a service with the guide's settings. */
const { db, url } = await testDatabase();
const folder = mkdtempSync(join(tmpdir(), "cardlane-production-"));
const CARD = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };
const keys = { here: "", elsewhere: "" };
const proxies = new Map<string, RunningProxy>();
const { found, missing } = installedProxies();
if (missing.length > 0) process.stdout.write(`  left out, for want of the program: ${missing.join(", ")}\n`);
let service: ProofHost;

beforeAll(async () => {
  if (found.length === 0) return;
  const { test: environment } = await createTestMerchant(db, "Production");
  const newKey = async (ip: string) => {
    const key = { environmentId: environment.id, name: "Proof", ipAllowList: [ip] };
    return (await createApiKey(testService(db), { ...key, permissions: ["payment.create", "dispute.write"] })).secret;
  };
  Object.assign(keys, { here: await newKey("127.0.0.1/32"), elsewhere: await newKey("203.0.113.7/32") });
  service = await startHost({
    whole: true,
    databaseUrl: url,
    env: {
      CARDLANE_ENV: "production",
      BASE_URL: `https://${NAME}`,
      TRUSTED_PROXIES: "1",
      DATA_DIR: folder,
      SMTP_URL: "smtp://127.0.0.1:9",
      MAIL_OUTBOX: "",
      METRICS_TOKEN: TEST_METRICS_TOKEN,
      DRAIN_SECONDS: "0",
    },
  });
  const certificate = makeCertificate();
  for (const name of found) proxies.set(name, await startProxy(name, { certificate, servicePort: service.port }));
});

afterAll(async () => {
  for (const proxy of proxies.values()) await proxy.stop();
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(found)("in production, behind the documented %s", (program) => {
  const proxy = () => proxies.get(program) as RunningProxy;
  type Sent = { path: string; method?: string; name?: string; host?: string; headers?: object; body?: string };

  /** `name` is used in the handshake, `host` in the header. */
  const send = ({ path, method = "GET", name = NAME, host = name, headers = {}, body }: Sent) =>
    read(
      httpsRequest({
        host: "127.0.0.1",
        port: proxy().tls,
        servername: name,
        path,
        method,
        agent: false,
        ca: certificateOf(folder),
        headers: { host, ...headers, ...(body && { "content-length": String(Buffer.byteLength(body)) }) },
      }),
      body,
    );

  const pay = (apiKey: string, extra: { forwardedFor?: string; description?: string } = {}) =>
    send({
      path: "/v1/payments",
      method: "POST",
      headers: {
        "x-api-key": apiKey,
        "x-idempotency-key": crypto.randomUUID(),
        "content-type": "application/json",
        ...(extra.forwardedFor && { "x-forwarded-for": extra.forwardedFor }),
      },
      body: JSON.stringify({ amount: 1999, currency: "USD", card: CARD, description: extra.description }),
    });

  test("a payment goes through, and a caller's address is the one that the proxy reports", async () => {
    const paid = await pay(keys.here, { forwardedFor: "203.0.113.7" });
    expect(paid.status, paid.text).toBe(201);
    const forged = await pay(keys.elsewhere, { forwardedFor: "203.0.113.7" });
    expect([forged.status, JSON.parse(forged.text).code]).toEqual([403, "ip_not_allowed"]);
  });

  test("plain HTTP redirects to HTTPS, and other host names get no response", async () => {
    const plain = (host: string) =>
      read(httpRequest({ host: "127.0.0.1", port: proxy().plain, path: "/v1/payments?limit=1", headers: { host } }));
    const moved = await plain(NAME);
    expect([moved.status, moved.headers.location]).toEqual([308, `https://${NAME}/v1/payments?limit=1`]);
    const none = /socket hang up|ECONNRESET|alert|stream/;
    await expect(plain("evil.example")).rejects.toThrow(none);
    await expect(send({ path: "/sign-in", name: "evil.example" })).rejects.toThrow(none);
    await expect(send({ path: "/sign-in", host: "evil.example" })).rejects.toThrow(none);
  });

  test("a body that is too large is refused by the API itself, as documented", async () => {
    const answer = await pay(keys.here, { description: "x".repeat(80_000) });
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([413, "body_too_large"]);
  });

  test("a file of a dispute passes up to the size that the API accepts", async () => {
    const upload = (bytes: number) =>
      send({
        path: "/v1/files",
        method: "POST",
        headers: { "x-api-key": keys.here, "content-type": "multipart/form-data; boundary=b" },
        body: `--b\r\nContent-Disposition: form-data; name="file"; filename="note.pdf"\r\n\r\n%PDF-1.7\n${"x".repeat(bytes)}\r\n--b--\r\n`,
      });
    const stored = await upload(4_900_000);
    expect(stored.status, stored.text).toBe(201);
    const refused = await upload(5_250_000);
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([413, "body_too_large"]);
  });

  test("pages have HSTS and a policy, and cookies are limited to this host", async () => {
    const page = await send({ path: "/sign-in" });
    expect(page.status).toBe(200);
    expect(page.headers["strict-transport-security"]).toMatch(/max-age=\d{8}/);
    expect(page.headers["content-security-policy"]).toMatch(/script-src [^;]*'nonce-/);
    const cookies = (await send({ path: "/api/auth/csrf" })).headers["set-cookie"] ?? [];
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatch(/^__Host-.*; Path=\/;.*Secure/i);
  });

  test("features for a laptop or for operators only are absent", async () => {
    for (const path of ["/demo", "/outbox", "/metrics"]) expect((await send({ path })).status, path).toBe(404);
    const authorization = `Bearer ${TEST_METRICS_TOKEN}`;
    const own = { host: "127.0.0.1", port: service.port, path: "/metrics" };
    expect((await read(httpRequest(own))).status).toBe(401);
    const figures = await read(httpRequest({ ...own, headers: { authorization } }));
    expect([figures.status, figures.text.includes("process_cpu_seconds_total")]).toEqual([200, true]);
  });
});

test.skipIf(found.length === 0)("a proxy whose service is gone writes no key, token or card anywhere", async () => {
  await service.kill("SIGKILL");
  const token = `cst_${"s".repeat(43)}`;
  for (const [program, proxy] of proxies) {
    const options = { host: "127.0.0.1", port: proxy.tls, servername: NAME, ca: certificateOf(folder), agent: false };
    const headers = { host: NAME, "x-api-key": keys.here };
    const answer = await read(
      httpsRequest({ ...options, method: "POST", path: `/pay/${token}/attempts?x=1`, headers }),
      JSON.stringify({ card: CARD, filler: "x".repeat(60_000) }),
    );
    expect(answer.status, program).toBeGreaterThanOrEqual(502);
    await proxy.stop();
    const written = [proxy.output(), ...filesIn(proxy.folder)].join("\n");
    const told = program === "nginx" ? `POST ${answer.status}` : "http.log.error";
    expect(written.includes(told), `${program} says that it failed: ${proxy.output()}`).toBe(true);
    for (const secret of [token, keys.here, CARD.number, "xxxxxxxx", "a client request body is buffered"])
      expect(written.includes(secret), `${program} wrote ${secret}`).toBe(false);
  }
});

const certificateOf = (path: string) => readFileSync(join(path, "fullchain.pem"));

const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));

/** Creates a certificate for that single name. Returns the folder with `fullchain.pem` and `privkey.pem`. */
function makeCertificate(): { folder: string } {
  const files = ["-keyout", join(folder, "privkey.pem"), "-out", join(folder, "fullchain.pem")];
  const subject = ["-subj", `/CN=${NAME}`, "-addext", `subjectAltName=DNS:${NAME}`];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "1"];
  execFileSync("openssl", ["req", "-x509", "-nodes", ...kind, ...files, ...subject], { stdio: "pipe" });
  return { folder };
}
