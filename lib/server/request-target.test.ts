import { expect, test } from "vitest";
import { destinationOf } from "./gate";

test.each([
  ...[
    "/v1",
    "/v1/",
    "/v1/payments",
    "/v1?x=1",
    "/health",
    "/health/ready",
    "/health?x",
    "/v1/openapi.json",
    "/metrics",
    "/mcp",
    "/mcp/x",
  ],
  ...["/v1/payments/%zz", "/v1/payments/a%2Fb", "/v1/%70ayments", "/%761/payments", "/%76%31/payments?a=/../b"],
])("%s belongs to the API", (target) => {
  expect(destinationOf(target)).toBe("api");
});

test.each([
  "/",
  "/v10",
  "/v1x/payments",
  "/docs/v1/",
  "/healthy",
  "/metricsx",
  "/mcps",
  "/?next=/v1/../x",
  "/V1/payments",
  "/a.b/c..d",
  "/x%20y",
])("%s belongs to the pages", (target) => {
  expect(destinationOf(target)).toBe("pages");
});

test.each([
  ...["/./v1/transactions", "/x/../v1/transactions", "/%2e/v1/transactions", "/x/%2E%2e/v1", "/x/.%2e/v1", "/v1/.."],
  ...["//v1/transactions", "//host/v1", "/%2fv1", "/\\v1", "/x\\..\\v1", "/x#/v1", "/challenge/%ff", "/x/..%2fv1"],
  ...["/%zz/%2e%2e/v1", "*", "", "http://localhost/v1/transactions", "v1/transactions"],
])("%s is refused", (target) => {
  expect(destinationOf(target)).toBe("nowhere");
});
