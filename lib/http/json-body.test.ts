import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonBody } from "./parse";
import { textOf } from "./response";

test("the text is JSON.stringify's to the byte, for any value", async () => {
  const objects = fc.object({ withNullPrototype: false, withBigInt: false, maxDepth: 4 });
  await fc.assert(
    fc.asyncProperty(objects, fc.array(objects), async (value, list) => {
      for (const some of [value, { ...value, data: list }, { data: [{ ...value, list }] }])
        expect(textOf(await jsonBody(some))).toBe(JSON.stringify(some));
    }),
  );
});

test("a long list is serialized in pieces, between which others are served", async () => {
  const item = {
    id: "pay_1",
    metadata: { note: "ä".repeat(25_000) },
    transactions: [{ id: "txn_1" }, { id: "txn_2" }],
  };
  const list = { object: "list", data: Array.from({ length: 100 }, () => item), none: undefined };
  let served = 0;
  const others = setInterval(() => served++, 0);
  const body = await jsonBody(list);
  clearInterval(others);
  expect(body).toBeInstanceOf(Array);
  expect(textOf(body)).toBe(JSON.stringify(list));
  const sizes = (body as Uint8Array[]).map((piece) => piece.byteLength);
  expect(Math.max(...sizes)).toBeLessThan(4 * 64 * 1024);
  expect(sizes.length).toBeGreaterThan(20);
  expect(served).toBeGreaterThan(0);
});

test("one payment with thousands of refunds is serialized in pieces, too", async () => {
  const refund = { id: "txn_1", metadata: { a: "b".repeat(100) } };
  const body = await jsonBody({ id: "pay_1", transactions: Array.from({ length: 5_000 }, () => refund) });
  expect((body as Uint8Array[]).length).toBeGreaterThan(5);
});
