import type { IncomingMessage } from "node:http";
import { afterEach, expect, test, vi } from "vitest";
import { normalizeEscapes, tidyRequest } from "./next-requests";

test.each([
  ["/v1/payments/%", "/v1/payments/%25"],
  ["/v1/payments/%zz?a=%", "/v1/payments/%25zz?a=%"],
  ["/v1/payments/%c3%28", "/v1/payments/%25c3%2528"],
])("a path that cannot be decoded becomes one that can: %s", (target, mended) => {
  expect(normalizeEscapes(target)).toBe(mended);
});

test.each(["/", "/v1/payments/%20?a=%&b=1?", "/v1/payments/%F0%9F%98%80"])("any other stays as it is: %s", (target) => {
  expect(normalizeEscapes(target)).toBe(target);
});

const requestWith = (headers: Record<string, string>) =>
  ({ headers, socket: { remoteAddress: "::ffff:9.9.9.9" } }) as unknown as IncomingMessage;
afterEach(() => void vi.unstubAllEnvs());

test.each([
  ["0", "6.6.6.6", "9.9.9.9"],
  ["0", undefined, "9.9.9.9"],
  ["1", "6.6.6.6, 1.2.3.4", "1.2.3.4"],
  ["2", "6.6.6.6, 1.2.3.4, 5.6.7.8", "1.2.3.4"],
  ["2", "6.6.6.6", "9.9.9.9"],
])(
  "behind %s proxies, X-Forwarded-For: %s becomes %s for Next, also when it is normalized twice",
  (proxies, sent, left) => {
    vi.stubEnv("TRUSTED_PROXIES", proxies);
    const request = requestWith(sent === undefined ? {} : { "x-forwarded-for": sent });
    tidyRequest(request);
    tidyRequest(request);
    expect(request.headers["x-forwarded-for"]).toBe(left);
  },
);

test("a host other than the validated one does not reach Next", () => {
  const request = requestWith({ host: "pay.example", "x-forwarded-host": "evil.example" });
  tidyRequest(request);
  expect(request.headers).toEqual({ host: "pay.example", "x-forwarded-for": "9.9.9.9" });
});

test.each(["bytes=9-1", "bytes=99999999999999999999-", "bytes=-0", "bytes=1-9"])(
  "no range, %s, reaches Next",
  (range) => {
    const request = requestWith({ range });
    tidyRequest(request);
    expect(request.headers).toEqual({ "x-forwarded-for": "9.9.9.9" });
  },
);

const tree = (value: unknown) => encodeURIComponent(JSON.stringify(value));

test.each([
  ...["", "1", "%", "%E0%A4%A", "null", "a".repeat(50_000), JSON.stringify(["", {}, "\u00e9"]), `${tree(["", {}])}, x`],
  ...[null, [], {}, [""], [["", {}]], ["", { children: ["x", { children: ["__PAGE__", {}, null, null] }] }, 1]].map(
    tree,
  ),
  // Seen in production; its last element is from another version of Next.
  tree(["", { children: ["x", { children: ["__PAGE__", {}, null, null] }, null, null] }, null, null, true]),
])("a router state that Next can't parse is removed: %.40s", (header) => {
  const request = requestWith({ "next-router-state-tree": header });
  tidyRequest(request);
  expect(request.headers).toEqual({ "x-forwarded-for": "9.9.9.9" });
});

test("the router state from Next's own client is kept", () => {
  const header = tree([
    "",
    { children: ["docs", { children: ["__PAGE__", {}, null, null] }, null, null] },
    null,
    null,
    16,
  ]);
  const request = requestWith({ "next-router-state-tree": header, rsc: "1" });
  tidyRequest(request);
  expect(request.headers).toMatchObject({ "next-router-state-tree": header, rsc: "1" });
});
