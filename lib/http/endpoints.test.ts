import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as accounts from "@/lib/contract/accounts/endpoints";
import * as apiKeys from "@/lib/contract/api-keys/api-keys";
import * as approvals from "@/lib/contract/approvals/approvals";
import * as checkout from "@/lib/contract/checkout/endpoints";
import * as paymentLinks from "@/lib/contract/checkout/payment-link";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { EXAMPLES } from "@/lib/contract/examples";
import * as idempotency from "@/lib/contract/idempotency/idempotency-key";
import * as savedViews from "@/lib/contract/lists/saved-views";
import * as notes from "@/lib/contract/notes/notes";
import * as payments from "@/lib/contract/payments/endpoints";
import * as processors from "@/lib/contract/processors/connection";
import * as receipts from "@/lib/contract/receipts/receipts";
import * as reportMails from "@/lib/contract/reports/report-mail";
import * as settlement from "@/lib/contract/settlement/endpoints";
import * as subscriptions from "@/lib/contract/subscriptions/preview";
import * as subscriptionSettings from "@/lib/contract/subscriptions/settings-endpoint";
import * as support from "@/lib/contract/support/endpoints";
import * as team from "@/lib/contract/team/team";
import * as clockPresets from "@/lib/contract/test-clock/presets";
import * as sums from "@/lib/contract/transactions/sums";
import { DASHBOARD_ENDPOINTS } from "./dashboard-endpoints";
import { findServed } from "./endpoints";

const routeFilesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("route.ts"));

describe("the contract and the verbs name the same endpoints", () => {
  test.each(ENDPOINTS.map((endpoint) => [endpoint.name, endpoint] as const))("%s", (name, endpoint) => {
    if (endpoint.permissions.length > 0 && !endpoint.streams)
      expect(findServed(endpoint), `no verb for ${name}`).not.toBeNull();
    expect(EXAMPLES, `no example for ${name}`).toHaveProperty(name);
    const isList = endpoint.response instanceof z.ZodObject && "has_more" in endpoint.response.shape;
    expect(endpoint.list ?? false, `${name} answers a list`).toBe(isList);
    expect(endpoint.movesMoney ?? false, `${name} moves money`).toBe(endpoint.idempotency === "required");
  });

  test("no two are served under one method and path, and each is served", () => {
    const addresses = [...ENDPOINTS, ...DASHBOARD_ENDPOINTS.map(({ endpoint }) => endpoint)].map(
      ({ method, path }) => `${method} ${path}`,
    );
    expect(addresses.filter((address, i) => addresses.indexOf(address) !== i)).toEqual([]);
    const contract = [
      accounts,
      apiKeys,
      approvals,
      checkout,
      idempotency,
      notes,
      paymentLinks,
      payments,
      processors,
      receipts,
      reportMails,
      settlement,
      subscriptionSettings,
      support,
      subscriptions,
      team,
      clockPresets,
      savedViews,
      sums,
    ].flatMap((module) =>
      Object.values<unknown>(module).filter(
        (value) => typeof value === "object" && value !== null && "permission" in value,
      ),
    );
    expect(contract.length).toBeGreaterThan(30);
    const served = new Set<unknown>(DASHBOARD_ENDPOINTS.map(({ endpoint }) => endpoint));
    expect(contract.filter((endpoint) => !served.has(endpoint))).toEqual([]);
    expect(served.size).toBe(contract.length);
  });

  test("no route file shadows an endpoint's path", () => {
    expect(routeFilesOf("app/v1")).toEqual(["[[...path]]/route.ts"]);
    expect(routeFilesOf("app/api").toSorted()).toEqual([
      "[...path]/route.ts",
      "auth/[...nextauth]/route.ts",
      "support-auth/[...nextauth]/route.ts",
    ]);
    const elsewhere = DASHBOARD_ENDPOINTS.filter(({ endpoint }) => !endpoint.path.startsWith("/api/"));
    expect(elsewhere.map(({ endpoint }) => endpoint.path)).toEqual(["/pay/{token}/state", "/pay/{token}/attempts"]);
  });
});
