import { connect } from "node:net";
import { listPayments } from "@/lib/contract/payments/endpoints";
import { expect, test } from "../fixtures/playwright";

/** One path per family, handled by our own handlers, the pages, static files, or nothing. */
const PATHS = [
  ...["/v1", "/v1/payments", "/v1/payments/x", "/v1/payments/x/refund", "/v1/openapi.json", "/v1/nothing", "/health"],
  ...["/health/live", "/health/ready", "/api/auth/csrf", "/api/auth/signin", "/api/auth/callback/credentials"],
  ...["/api/support-auth/session", "/api/dashboard/team", "/api/dashboard/test/api-keys", "/api/dashboard/nothing"],
  ...["/api/support/merchants/x/suspend", "/api/sign-up", "/api/forgot-password", "/", "/sign-in", "/outbox"],
  ...[
    "/outbox/open",
    "/test",
    "/test/transactions",
    "/live/settings/team",
    "/support",
    "/docs",
    "/demo",
    "/demo/result",
  ],
  ...["/demo/checkout/session", "/pay/x", "/pay/x/state", "/pay/x/attempts", "/pay/preview", "/challenge/x"],
  ...["/receipt/x", "/logo/x", "/pay/x/receipt", "/report-file/x"],
  ...[
    "/challenge/x/result",
    "/sdk/v1.js",
    "/sdk/nothing.js",
    "/_next/static/nothing.js",
    "/_next/image",
    "/_next/data/x",
  ],
  ...["/_next/webpack-hmr", "/favicon.ico", "/nothing"],
];
const METHODS = [
  ...[
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "PROPFIND",
    "MKCOL",
    "LOCK",
    "SEARCH",
    "PURGE",
  ],
  ...["QUERY", "M-SEARCH", "REPORT", "BIND", "MADEUP", "get"],
];
/** Suffixes added to each path. */
const TAILS = [
  "%ff",
  "%00",
  "/%ff",
  "/%c3%28",
  "/..%2f..",
  "/%2e%2e/x",
  "//x",
  "/\\x",
  "?%ff=%00",
  "?callbackUrl=\\\\evil",
  ";x",
  "#x",
];
const HEADERS = [
  "Next-Action: x",
  "RSC: 1",
  "Next-Router-State-Tree: %",
  "Next-Router-Prefetch: 1",
  "X-Middleware-Subrequest: proxy",
  "Upgrade: websocket\r\nConnection: Upgrade",
  "Expect: 100-continue",
  "Range: bytes=9-1",
  "Range: bytes=99999999999999999999-",
  "Range: bytes=-0",
  'If-None-Match: "',
  "Cookie: %; cardlane.session=%ff; cardlane.callback=\\\\evil; __Secure-cardlane.session=a.b.c.d.e",
  "Content-Type: multipart/form-data",
  "Content-Type: \xff",
  "Accept-Language: \xff",
  "Accept-Encoding: *;q=x",
  `X-Long: ${"a".repeat(14_000)}`,
  "X-Forwarded-Host: evil.example",
  "X-Forwarded-Proto: x://",
  "X-Forwarded-For: ::::",
  "Origin: null",
  "Authorization: \xff",
  "Purpose: prefetch",
  "X-Nextjs-Data: 1",
  "X-Invoke-Path: /\xff",
];

/** Sends raw text. Returns the response's status, or 0 without a response. */
function statusOf(baseUrl: string, text: string): Promise<number> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(text, "latin1"));
    let answer = "";
    // A connection that waits for more, such as after an upgrade, has already sent its response.
    socket.setTimeout(8_000, () => socket.destroy());
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(Number(answer.split(" ")[1] ?? "0")));
  });
}

const requestOf = (baseUrl: string, method: string, target: string, header = "") => {
  const body = ["GET", "HEAD", "OPTIONS", "TRACE"].includes(method) ? "" : "Content-Length: 2\r\n";
  const lines = `${method} ${target} HTTP/1.1\r\nHost: ${new URL(baseUrl).host}\r\nConnection: close\r\n${body}`;
  return `${lines}${header && `${header}\r\n`}\r\n${body && "{}"}`;
};

/** Sends all of them, a few at a time. Returns those that ended in a 5xx. */
async function failing(baseUrl: string, requests: { name: string; text: string }[]): Promise<string[]> {
  const failed: string[] = [];
  const left = [...requests];
  const work = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const status = await statusOf(baseUrl, next.text);
      if (status >= 500 || status === 0) failed.push(`${next.name} → ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return failed;
}

for (const method of METHODS) {
  test(`${method} never causes a 5xx`, async ({ baseUrl }) => {
    test.setTimeout(120_000);
    const requests = PATHS.map((path) => ({ name: `${method} ${path}`, text: requestOf(baseUrl, method, path) }));
    expect(await failing(baseUrl, requests)).toEqual([]);
  });
}

test("malformed paths never cause a 5xx, in any family of paths", async ({ baseUrl }) => {
  test.setTimeout(180_000);
  const targets = [
    "/v1/payments",
    "/health",
    "/api/auth/signin",
    "/api/dashboard/team",
    "/test",
    "/pay/x",
    "/challenge/x",
  ]
    .concat(["/demo", "/sdk", "/_next/static", "/_next/image", "/docs", ""])
    .flatMap((path) => TAILS.map((tail) => path + tail));
  const requests = targets.flatMap((target) =>
    ["GET", "POST"].map((method) => ({ name: `${method} ${target}`, text: requestOf(baseUrl, method, target) })),
  );
  expect(await failing(baseUrl, requests)).toEqual([]);
});

test("unusual headers never cause a 5xx", async ({ baseUrl }) => {
  test.setTimeout(180_000);
  const requests = HEADERS.flatMap((header) =>
    [
      "/v1/payments",
      "/api/auth/signin",
      "/sign-in",
      "/test",
      "/pay/x",
      "/sdk/v1.js",
      "/favicon.svg",
      "/demo/checkout/session",
      "/_next/image",
    ].flatMap((path) =>
      ["GET", "POST"].map((method) => ({
        name: `${method} ${path} with ${header.slice(0, 40)}`,
        text: requestOf(baseUrl, method, path, header),
      })),
    ),
  );
  expect(await failing(baseUrl, requests)).toEqual([]);
});

/** Next would take three seconds to parse this many, blocking every other request. */
test("thousands of parameters are refused before they are parsed", async ({ baseUrl }) => {
  for (const path of ["/nothing/here", "/sign-in", "/pay/x", "/v1/payments", "/health"]) {
    for (const parameters of ["p&".repeat(7_500), "p=1&".repeat(3_800), "a[]=1&".repeat(2_400)]) {
      const status = await statusOf(baseUrl, requestOf(baseUrl, "GET", `${path}?${parameters}`));
      expect(path === "/health" ? [200] : [400, 401, 404, 414], path).toContain(status);
    }
  }
  expect(await statusOf(baseUrl, requestOf(baseUrl, "GET", `/${"a/".repeat(600)}`))).toBe(414);
});

test("no page accepts a body, so none is buffered", async ({ baseUrl }) => {
  for (const path of ["/test/transactions", "/live/x", "/support", "/sign-in", "/nothing"]) {
    for (const [method, status] of [
      ["POST", 405],
      ["GET", 413],
    ] as const) {
      const whole = `${method} ${path} HTTP/1.1\r\nHost: ${new URL(baseUrl).host}\r\n`;
      expect(await statusOf(baseUrl, `${whole}Content-Length: 10400000\r\n\r\nx`), path).toBe(status);
      expect(await statusOf(baseUrl, `${whole}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`), path).toBe(status);
    }
  }
});

/**
 * Abandoned reads must release their merchant's slots; a request queued behind another response is dropped
 * before it runs.
 */
test("abandoned list requests do not block others", async ({ baseUrl, api }) => {
  const { host, hostname, port } = new URL(baseUrl);
  const list = `GET /v1/payments?limit=100 HTTP/1.1\r\nHost: ${host}\r\nX-Api-Key: ${api.apiKey}\r\n\r\n`;
  for (let round = 0; round < 6; round++) {
    const socket = connect(Number(port), hostname);
    await new Promise((resolve) => socket.once("connect", resolve));
    await new Promise((resolve) => socket.write(list.repeat(6), resolve));
    socket.destroy();
  }
  await expect
    .poll(async () => (await api.call(listPayments, { query: { limit: 1 } })).status, { timeout: 20_000 })
    .toBe(200);
  for (let i = 0; i < 5; i++) (await api.call(listPayments, { query: { limit: 1 } })).ok();
});

test("a foreign host name is refused on every path but health", async ({ baseUrl }) => {
  for (const path of PATHS) {
    const text = requestOf(baseUrl, "GET", path).replace(/Host: [^\r]*/, "Host: rebound.example");
    expect([path, await statusOf(baseUrl, text)]).toEqual([path, path.startsWith("/health") ? 200 : 421]);
  }
});
