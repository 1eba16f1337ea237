import { expect, test } from "vitest";
import { isLoopbackHost } from "./loopback";

test.each(["localhost", "localhost:3000", "LOCALHOST", "127.0.0.1:3000", "127.1.2.3", "[::1]:3000"])(
  "%s is this machine",
  (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  },
);

test.each([
  null,
  "",
  "cardlane.example",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "10.0.0.1:3000",
  "0.0.0.0",
  "evil.example@127.0.0.1.evil",
])("%j is not", (host) => {
  expect(isLoopbackHost(host)).toBe(false);
});
