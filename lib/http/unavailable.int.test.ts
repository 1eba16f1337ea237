import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { provideService } from "./current-service";
import type { HttpResponse } from "./response";
import { textOf } from "./response";
import { respondWithin } from "./unavailable";

const { db } = await testDatabase();
const request = new Request("http://localhost/v1/payments");

test("a request without a timely response is refused, to be retried with the same key", async () => {
  provideService(testService(db));
  const response = await respondWithin(20, request, new Promise(() => {}));
  expect(response.status).toBe(503);
  expect(response.headers["Retry-After"]).toBe("1");
  expect(response.headers["X-Request-Id"]).toMatch(/^req_/);
  expect(JSON.parse(textOf(response.body))).toMatchObject({ code: "database_unavailable", instance: "/v1/payments" });
});

test("a timely response is passed on unchanged, and a late failure is ignored", async () => {
  provideService(testService(db));
  const answer = { status: 200, headers: {}, body: "{}" };
  expect(await respondWithin(10_000, request, Promise.resolve(answer))).toBe(answer);
  let fail = (_: Error) => {};
  const late = new Promise<HttpResponse>((_, reject) => {
    fail = reject;
  });
  expect((await respondWithin(1, request, late)).status).toBe(503);
  fail(new Error("too late"));
});
