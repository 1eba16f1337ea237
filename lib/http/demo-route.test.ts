import { afterEach, expect, test, vi } from "vitest";
import { maskCardNumbers } from "@/lib/contract/card-numbers";
import { demoShopRoute, newOrderId, provideDemoShop } from "./demo";

const ORIGIN = "http://shop.test";

afterEach(() => {
  vi.unstubAllEnvs();
  provideDemoShop(null);
});

async function send(values: object) {
  vi.stubEnv("BASE_URL", ORIGIN);
  provideDemoShop({ key: "sk_test_x", apiUrl: ORIGIN });
  const run = vi.fn(async () => ({ calls: [] }));
  const response = await demoShopRoute(run)(
    new Request(`${ORIGIN}/demo/checkout/session`, {
      method: "POST",
      headers: { origin: ORIGIN, "sec-fetch-site": "same-origin" },
      body: JSON.stringify(values),
    }),
  );
  return { status: response.status, text: await response.text(), runs: run.mock.calls.length };
}

test("an order's number that is a card's reaches no key and no metadata", async () => {
  for (const order of ["4242424242424242", "4242/4242/4242/4242", "378282246310005"]) {
    const { status, text, runs } = await send({ print: "harbour", order });
    expect([order, status, runs]).toEqual([order, 400, 0]);
    expect(text).not.toContain(order);
  }
  expect(await send({ print: "harbour", order: "01kag8k6wnf3ksvd7h95v7c8gt" })).toMatchObject({ status: 200, runs: 1 });
});

test("a new order's number never reads like a card number", () => {
  for (let i = 0; i < 5_000; i++) {
    const id = newOrderId();
    expect(id).toMatch(/^[a-p]{20}$/);
    expect(maskCardNumbers(id)).toBe(id);
  }
});
