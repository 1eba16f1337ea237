import { expect, test } from "vitest";
import { isApiTarget } from "./http-server";
import { exampleRequest } from "./summary";

test.each(["/v1", "/v1/", "/v1/payments", "/v1?x=1", "/health", "/health/ready", "/health?x"])(
  "%s belongs to the API",
  (target) => {
    expect(isApiTarget(target)).toBe(true);
  },
);

test.each(["/", "/v10", "/v1x/payments", "/docs/v1/", "/healthy", "/?next=/v1/"])(
  "%s belongs to the pages",
  (target) => {
    expect(isApiTarget(target)).toBe(false);
  },
);

test("the example is one line that any shell takes, with both headers", () => {
  const line = exampleRequest("http://localhost:3000", "sk_test_x");
  expect(line).not.toContain("\n");
  expect(line).toContain('-H "X-Api-Key: sk_test_x"');
  expect(line).toMatch(/-H "X-Idempotency-Key: try-[0-9a-f]{6}"/);
  expect(JSON.parse(line.slice(line.indexOf("'") + 1, -1))).toMatchObject({ amount: 1999, currency: "USD" });
});
