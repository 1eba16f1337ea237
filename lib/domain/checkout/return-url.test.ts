import { expect, test } from "vitest";
import { encodeId } from "@/lib/contract/ids";
import { withSessionIds } from "./pay-session";

const SESSION = "019a9c60-0000-7000-8000-000000000001";
const PAYMENT = "019a9c60-0000-7000-8000-000000000002";
const IDS = `client_session_id=${encodeId("clientSession", SESSION)}&payment_id=${encodeId("payment", PAYMENT)}`;

test.each([
  ["https://shop.example", "https://shop.example?IDS"],
  ["https://shop.example/", "https://shop.example/?IDS"],
  ["https://shop.example/thanks?sig=a%20b%2Bc&flag", "https://shop.example/thanks?sig=a%20b%2Bc&flag&IDS"],
  ["https://shop.example/t?order={ORDER}&s=a/b==", "https://shop.example/t?order={ORDER}&s=a/b==&IDS"],
  ["https://shop.example/t?items[]=1&items[]=2", "https://shop.example/t?items[]=1&items[]=2&IDS"],
  ["https://shop.example/t?q=caf%E9", "https://shop.example/t?q=caf%E9&IDS"],
  ["https://shop.example/t?q=café+%zz", "https://shop.example/t?q=café+%zz&IDS"],
  ["https://shop.example/t?", "https://shop.example/t?IDS"],
  ["https://shop.example/t?a=1&", "https://shop.example/t?a=1&IDS"],
  ["https://shop.example/t?a=1?", "https://shop.example/t?a=1?&IDS"],
  ["https://shop.example/t?a=?b&c", "https://shop.example/t?a=?b&c&IDS"],
  ["https://shop.example/t#done", "https://shop.example/t?IDS#done"],
  ["https://shop.example/t?a=1#/route?b=2", "https://shop.example/t?a=1&IDS#/route?b=2"],
  ["https://shop.example/#?", "https://shop.example/?IDS#?"],
  ["https://shop.example/t?a=1&#", "https://shop.example/t?a=1&IDS#"],
  ["HTTPS://SHOP.example:443/a/../b", "HTTPS://SHOP.example:443/a/../b?IDS"],
])("%s gets the ids appended and nothing else changed", (url, right) => {
  expect(withSessionIds(url, { clientSessionId: SESSION, paymentId: PAYMENT })).toBe(right.replace("IDS", IDS));
});

test("an unknown id is omitted", () => {
  const url = "https://shop.example/t?x";
  expect(withSessionIds(url, { clientSessionId: null, paymentId: null })).toBe(url);
  expect(withSessionIds(url, { clientSessionId: null, paymentId: PAYMENT })).toBe(
    `${url}&payment_id=${encodeId("payment", PAYMENT)}`,
  );
});
