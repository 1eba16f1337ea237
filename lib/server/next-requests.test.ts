import { expect, test } from "vitest";
import { mendEscapes } from "./next-requests";

test.each([
  ["/v1/payments/%", "/v1/payments/%25"],
  ["/v1/payments/%zz?a=%", "/v1/payments/%25zz?a=%"],
  ["/v1/payments/%c3%28", "/v1/payments/%25c3%2528"],
])("a path that cannot be decoded becomes one that can: %s", (target, mended) => {
  expect(mendEscapes(target)).toBe(mended);
});

test.each(["/", "/v1/payments/%20?a=%&b=1?", "/v1/payments/%F0%9F%98%80"])("any other stays as it is: %s", (target) => {
  expect(mendEscapes(target)).toBe(target);
});
