import { Api } from "../client";
import { expect, test } from "../fixtures/playwright";

const SANDBOX = "sandbox.cardlane.test";
const LIVE = "live.cardlane.test";

test("a key of the other environment's host is 401, with the same response as any invalid key", async ({
  tenant,
  baseUrl,
}) => {
  const get = (api: Api, host: string) => api.raw({ method: "GET", path: "/v1/payments", headers: { Host: host } });
  expect((await get(tenant.api, SANDBOX)).status).toBe(200);
  expect((await get(tenant.live, LIVE)).status).toBe(200);
  const unknown = await get(new Api(baseUrl, `sk_test_${"A".repeat(38)}`), SANDBOX);
  const bytes = (text: string) => text.replace(/req_\w+/, "REQUEST");
  unknown.problem("api_key_invalid");
  for (const answer of [
    await get(tenant.api, LIVE),
    await get(tenant.live, SANDBOX),
    await get(tenant.live, SANDBOX.toUpperCase()),
    await get(tenant.api, `${LIVE}:80`),
  ]) {
    answer.problem("api_key_invalid");
    expect(bytes(answer.text)).toBe(bytes(unknown.text));
  }
});

test("on any other address both kinds of key work", async ({ tenant }) => {
  for (const api of [tenant.api, tenant.live]) {
    expect((await api.raw({ method: "GET", path: "/v1/payments" })).status).toBe(200);
  }
});

test("without settings a key has 100 requests a second and a burst of 200", async ({ api }) => {
  const answer = await api.raw({ method: "GET", path: "/v1/payments" });
  expect(answer.headers.get("ratelimit-policy")).toBe('"default";q=200;w=2');
  expect(answer.headers.get("ratelimit")).toMatch(/^"default";r=199;t=\d+$/);
});

test("without a token set there is no /metrics", async ({ baseUrl }) => {
  const nobody = new Api(baseUrl, null);
  for (const headers of [{}, { Authorization: "Bearer undefined" }, { Authorization: "Bearer" }] as Record<
    string,
    string
  >[]) {
    (await nobody.raw({ method: "GET", path: "/metrics", headers })).problem("resource_not_found");
  }
});
