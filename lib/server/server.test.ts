import { expect, test } from "vitest";
import { exampleRequest } from "./console";

test("the example is one line that works in any shell, with both headers", () => {
  const line = exampleRequest("http://localhost:3000", "sk_test_x");
  expect(line).not.toContain("\n");
  expect(line).toContain('-H "X-Api-Key: sk_test_x"');
  expect(line).toMatch(/-H "X-Idempotency-Key: try-[0-9a-f]{6}"/);
  expect(JSON.parse(line.slice(line.indexOf("'") + 1, -1))).toMatchObject({ amount: 1999, currency: "USD" });
});
