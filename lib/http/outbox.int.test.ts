import { beforeAll, expect, test, vi } from "vitest";
import { withinRequest } from "@/lib/testing/next-request";
import { mailRoute } from "./outbox";

beforeAll(() => void vi.stubEnv("BASE_URL", "http://localhost:3000"));

const routeOf = (headers: Record<string, string>) => {
  const request = new Request("http://localhost:3000/outbox", { headers });
  return withinRequest(request, mailRoute);
};
const OWN = { host: "localhost:3000", "x-forwarded-for": "127.0.0.1" };

test("the outbox is shown to a browser on the same machine", async () => {
  expect(await routeOf(OWN)).toBe("outbox");
});

test.each([
  ["from another machine", { ...OWN, "x-forwarded-for": "203.0.113.9" }],
  ["under another name", { ...OWN, host: "evil.example" }],
  ["through a proxy on the same machine", { ...OWN, "x-cardlane-proxied": "1" }],
])("but not %s", async (_, headers) => {
  expect(await routeOf(headers)).toBe("nowhere");
});
