import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { generateClient, methodOf, resourceOf } from "@/scripts/client/generate";
import { Cardlane } from "./index.ts";

type Method = (...parameters: unknown[]) => PromiseLike<unknown> & AsyncIterable<unknown>;

test("the committed code matches the registry; otherwise run npm run client:generate", () => {
  for (const [name, text] of Object.entries(generateClient()))
    expect(text, name).toBe(readFileSync(`packages/node/src/${name}.ts`, "utf8"));
});

test("every endpoint of the registry has one method, which sends its method and path", async () => {
  const sent: string[] = [];
  const answer = (url: unknown, init: RequestInit = {}) => {
    sent.push(`${init.method ?? "GET"} ${new URL(String(url)).pathname.replace("/ID", "/{id}")}`);
    return Promise.resolve(Response.json({ code: "permission_denied", detail: "No." }, { status: 403 }));
  };
  const cardlane = new Cardlane({ apiKey: "sk_test_x", fetch: answer });
  const { webhooks: _, ...resources } = cardlane;
  for (const resource of Object.values(resources)) {
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(resource))) {
      if (name === "constructor") continue;
      const call = (resource as unknown as Record<string, Method>)[name] as Method;
      if (name === "stream") await expect(firstOf(call.call(resource))).rejects.toThrow("permission_denied");
      else await expect(call.call(resource, "ID", {}, {})).rejects.toThrow("permission_denied");
    }
  }
  expect(sent.sort()).toEqual(ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort());
  for (const { name, path } of ENDPOINTS) {
    const resource = (cardlane as unknown as Record<string, Record<string, unknown>>)[resourceOf(path)] ?? {};
    expect(resource[methodOf({ name, path })], name).toBeTypeOf("function");
  }
});

async function firstOf(items: AsyncIterable<unknown>): Promise<unknown> {
  for await (const item of items) return item;
  return null;
}

test.each([
  ["listWebhookDeliveries", "/v1/webhook-endpoints/{id}/deliveries", "webhookEndpoints.listDeliveries"],
  ["rotateWebhookSecret", "/v1/webhook-endpoints/{id}/rotate-secret", "webhookEndpoints.rotateSecret"],
  ["searchTransactions", "/v1/transactions/search", "transactions.search"],
  ["listMovements", "/v1/balance/movements", "balance.listMovements"],
  ["createPlan", "/v1/subscription-plans", "subscriptionPlans.create"],
  ["getOpenApi", "/v1/openapi.json", "openapi.get"],
])("%s at %s is %s", (name, path, expected) => {
  expect(`${resourceOf(path)}.${methodOf({ name, path })}`).toBe(expected);
});
