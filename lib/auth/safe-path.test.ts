import { expect, test } from "vitest";
import { safePath } from "./session-cookie";

test.each([
  ["/test/payments?x=1#y", "/test/payments?x=1#y"],
  ["/", "/"],
  ["/a/../test//x", "/test//x"],
])("%s is ours", (next, path) => {
  expect(safePath(next, "/test")).toBe(path);
});

test.each([
  null,
  undefined,
  "",
  "https://evil.example",
  "//evil.example",
  "/\\evil.example",
  "/\t/evil.example",
  "/.//evil.example",
  "/a/..//evil.example",
  "/%2e//evil.example/x",
  "/./\\evil.example",
  "javascript:alert(1)",
  "test",
])("%j is not followed", (next) => {
  expect(safePath(next, "/test")).toBe("/test");
});
