import { expect, test } from "vitest";
import { isHost, isLoopbackHost } from "./loopback";

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

test.each(["pay.example", "pay.example:443", "pay.example.", "a_b.example", "[::1]:3000", "10.1.2.3:9090", "x:"])(
  "%s names a host",
  (host) => {
    expect(isHost(host)).toBe(true);
  },
);

test.each([
  ..."/?#@\\%,;|^`{}<>\"'()*+=!$& \t\u007f\u00e9".split("").map((sign) => `pay.example${sign}x`),
  ...["", ":", ":80", "[::1", "::1", "[pay.example]", "pay.example:80:80", "pay.example:99999", "pay.example:x"],
])("%j is not a loopback address", (host) => {
  expect(isHost(host)).toBe(false);
});
