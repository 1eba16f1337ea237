import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { TEST_METRICS_TOKEN } from "@/lib/testing/factories";
import { Api } from "../client";
import { expect, test } from "../fixtures";

/** By hand: what is answered is no JSON, and no other client sends a Host header of its own. */
async function get(baseUrl: string, headers: Record<string, string> = {}, path = "/metrics") {
  const { hostname: host, port } = new URL(baseUrl);
  const [response] = (await once(request({ host, port, path, headers }).end(), "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

const BEARER = { Authorization: `Bearer ${TEST_METRICS_TOKEN}` };

test("/metrics is for whoever sends its token, under any name", async ({ baseUrl }) => {
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

test("requests are counted by operation and class, and no path that callers make up", async ({ baseUrl, api }) => {
  await get(baseUrl, {}, "/v1/made-up-by-a-caller");
  expect((await api.raw({ method: "GET", path: "/v1/payments" })).status).toBe(200);
  const { text: figures } = await get(baseUrl, BEARER);
  expect(figures).toMatch(/\ncardlane_requests_total\{operation="listPayments",status="2xx"\} [1-9]/);
  expect(figures).toMatch(/\ncardlane_requests_total\{operation="none",status="4xx"\} [1-9]/);
  expect(figures).toMatch(/\ncardlane_request_duration_seconds_bucket\{operation="listPayments",le="\+Inf"\} [1-9]/);
  expect(figures).not.toContain("made-up");
});

test("/metrics is only read, and nothing is below it", async ({ baseUrl }) => {
  const nobody = new Api(baseUrl, null);
  (await nobody.raw({ method: "POST", path: "/metrics", headers: BEARER })).problem("method_not_allowed");
  expect((await get(baseUrl, BEARER, "/metrics/")).status).toBe(404);
});
