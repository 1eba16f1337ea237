import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { ENDPOINTS, getOpenApi } from "@/lib/contract/endpoints";
import { Api } from "../client";
import { TEST_METRICS_TOKEN } from "../fixtures/factories";
import { expect, test } from "../fixtures/playwright";

type Document = {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
};

test("the OpenAPI 3.1 document is open to everyone and names every operation", async ({ baseUrl }) => {
  const { text } = await new Api(baseUrl, null).call(getOpenApi);
  const document = JSON.parse(text) as Document;
  expect(document.openapi).toMatch(/^3\.1\./);
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`),
  );
  const known = ENDPOINTS.map(({ name, method, path }) => `${name}: ${method} ${path}`);
  expect(described).toEqual(expect.arrayContaining(known));
  for (const { path, method, status } of ENDPOINTS) {
    expect(Object.keys(document.paths[path]?.[method.toLowerCase()]?.responses ?? {})).toContain(String(status));
  }
});

test("the document needs no key, accepts one, and refuses unknown parameters like every endpoint", async ({ api }) => {
  (await api.call(getOpenApi)).ok();
  (await api.call(getOpenApi, { query: { pretty: 1 } })).problem("unknown_parameter");
});

for (const path of ["/health", "/health/live", "/health/ready"]) {
  test(`${path} needs no key and is never cached`, async ({ baseUrl }) => {
    const nobody = new Api(baseUrl, null);
    const answer = await nobody.raw({ method: "GET", path });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text).status).toMatch(/^(live|ready)$/);
    (await nobody.raw({ method: "POST", path })).problem("method_not_allowed");
  });
}

test("HEAD responds like GET, without a body", { tag: "@next" }, async ({ api, baseUrl }) => {
  const response = await fetch(`${baseUrl}/v1/payments`, {
    method: "HEAD",
    headers: { "X-Api-Key": api.apiKey ?? "" },
  });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("");
  expect(response.headers.get("x-request-id")).toMatch(/^req_/);
});

/** Uses plain `http`: the response isn't JSON, and other clients can't set a Host header. */
async function get(baseUrl: string, headers: Record<string, string> = {}, path = "/metrics") {
  const { hostname: host, port } = new URL(baseUrl);
  const [response] = (await once(request({ host, port, path, headers }).end(), "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

const BEARER = { Authorization: `Bearer ${TEST_METRICS_TOKEN}` };

test("/metrics requires its token, with any authentication scheme", async ({ baseUrl }) => {
  const wrong: Record<string, string>[] = [
    {},
    { Host: "10.1.2.3:9090" },
    { Authorization: `Bearer ${TEST_METRICS_TOKEN}x` },
  ];
  for (const headers of wrong) {
    const refused = await get(baseUrl, headers);
    expect(refused.status).toBe(401);
    expect(refused.headers["www-authenticate"]).toBe('Bearer realm="metrics"');
    expect(refused.text).not.toContain("cardlane_");
  }
  const answer = await get(baseUrl, { ...BEARER, Host: "10.1.2.3:9090" });
  expect(answer.status).toBe(200);
  expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(answer.headers["cache-control"]).toBe("no-store");
  expect(answer.text).toContain("\nprocess_cpu_seconds_total ");
  expect(answer.text).toContain("\ncardlane_database_up 1\n");
  expect(answer.text).toMatch(/\ncardlane_pool_connections_max\{pool="environment_sql"\} \d+\n/);
});

test("requests are counted by endpoint and class, without paths that callers make up", async ({ baseUrl, api }) => {
  await get(baseUrl, {}, "/v1/made-up-by-a-caller");
  expect((await api.raw({ method: "GET", path: "/v1/payments" })).status).toBe(200);
  const { text: figures } = await get(baseUrl, BEARER);
  expect(figures).toMatch(/\ncardlane_requests_total\{endpoint="listPayments",status="2xx"\} [1-9]/);
  expect(figures).toMatch(/\ncardlane_requests_total\{endpoint="none",status="4xx"\} [1-9]/);
  expect(figures).toMatch(/\ncardlane_request_duration_seconds_bucket\{endpoint="listPayments",le="\+Inf"\} [1-9]/);
  expect(figures).not.toContain("made-up");
});

test("/metrics is read-only and has no subpaths", async ({ baseUrl }) => {
  const nobody = new Api(baseUrl, null);
  (await nobody.raw({ method: "POST", path: "/metrics", headers: BEARER })).problem("method_not_allowed");
  expect((await get(baseUrl, BEARER, "/metrics/")).status).toBe(404);
});

test("any site may load the merchants' script, which is revalidated every few minutes", async ({
  request,
  baseUrl,
}) => {
  for (const [file, type] of [
    ["v1.js", /^text\/javascript|^application\/javascript/],
    ["v1.d.ts", /^text\/plain/],
  ] as const) {
    const headers = (await request.get(`${baseUrl}/sdk/${file}`)).headers();
    expect(headers["content-type"]).toMatch(type);
    expect(headers["cache-control"]).toBe("public, max-age=300, stale-while-revalidate=86400");
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers["cross-origin-resource-policy"]).toBe("cross-origin");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers.etag).toBeTruthy();
  }
});

test("the form's page names its files by content hash, and they are cached for a year", async ({
  request,
  baseUrl,
  host,
}) => {
  const html = await (await request.get(`${baseUrl}/pay/preview`)).text();
  const addresses = [...html.matchAll(/"(\/sdk\/frame\.(?:js|css)\?v=[0-9a-f]{12})"/g)].map(([, address]) => address);
  expect(new Set(addresses).size).toBe(2);
  for (const address of addresses) {
    const response = await request.get(baseUrl + address);
    expect(response.status()).toBe(200);
    // Next can't tell the addresses of its own files from another instance's, so browsers revalidate there.
    const caching = host === "next" ? "public, max-age=0" : "public, max-age=31536000, immutable";
    expect(response.headers()["cache-control"]).toBe(caching);
    expect(response.headers()["x-content-type-options"]).toBe("nosniff");
  }
});

test("no page but a payment's may be framed", async ({ request, baseUrl }) => {
  for (const path of ["/", "/docs", "/sign-in", "/nowhere", "/payments"]) {
    const { "content-security-policy": policy } = (await request.get(baseUrl + path)).headers();
    expect(policy, path).toContain("frame-ancestors 'none'");
  }
});
