import { getOpenApi, OPERATIONS } from "@/lib/contract/operations";
import { Api } from "../client";
import { expect, test } from "../fixtures";

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
  const known = OPERATIONS.map(({ name, method, path }) => `${name}: ${method} ${path}`);
  expect(described).toEqual(expect.arrayContaining(known));
  for (const { path, method, status } of OPERATIONS) {
    expect(Object.keys(document.paths[path]?.[method.toLowerCase()]?.responses ?? {})).toContain(String(status));
  }
});

test("the document is the same with a key, and strict as all", async ({ api }) => {
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

test("HEAD answers like GET, without a body", async ({ api, baseUrl }) => {
  const response = await fetch(`${baseUrl}/v1/payments`, {
    method: "HEAD",
    headers: { "X-Api-Key": api.apiKey ?? "" },
  });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("");
  expect(response.headers.get("x-request-id")).toMatch(/^req_/);
});
