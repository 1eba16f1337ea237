import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { CLOSED_POLICY } from "@/lib/http/security-headers";
import { secureResponse } from "./next-requests";

async function answered(answer: (response: ServerResponse, nonce: string) => void): Promise<Response> {
  const server = createServer((request, response) => {
    secureResponse(request, response);
    answer(response, String(request.headers["x-cardlane-nonce"]));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const headers = { "x-cardlane-nonce": "mine", "content-security-policy": "script-src 'nonce-mine'" };
    return await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { headers });
  } finally {
    server.close();
  }
}

const policyOf = (response: Response) => response.headers.get("content-security-policy");

test("a page's CSP has the nonce it was rendered with, however its headers are written", async () => {
  for (const write of [
    (response: ServerResponse) => response.setHeader("Content-Type", "text/html"),
    (response: ServerResponse) => response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }),
    (response: ServerResponse) => response.writeHead(200, "fine", { "content-type": "text/html" }),
    (response: ServerResponse) => response.writeHead(200, ["CONTENT-TYPE", "text/html"]),
  ]) {
    const response = await answered((to, nonce) => {
      write(to);
      to.end(nonce);
    });
    const nonce = await response.text();
    expect(nonce).toMatch(/^[\w+/]{24}$/);
    expect(policyOf(response)).toContain(`script-src 'nonce-${nonce}' 'strict-dynamic'`);
    expect(response.headers.get("cross-origin-opener-policy")).toBe("same-origin");
  }
});

test("responses that are not pages, or have no type, may load nothing", async () => {
  for (const type of ["application/json", "image/svg+xml", "text/plain", ""]) {
    const response = await answered((to) => {
      if (type) to.setHeader("content-type", type);
      to.end("x");
    });
    expect(policyOf(response), type).toBe(CLOSED_POLICY);
    expect(response.headers.get("x-content-type-options"), type).toBe("nosniff");
  }
});

test("headers set by a handler are kept, in any case, and not duplicated", async () => {
  const own = "default-src 'none'; frame-ancestors https://shop.example";
  for (const write of [
    (response: ServerResponse) => response.setHeader("Content-Security-Policy", own),
    (response: ServerResponse) => response.writeHead(200, { "CONTENT-security-policy": own }),
  ]) {
    const response = await answered((to) => {
      write(to);
      to.end();
    });
    expect(policyOf(response)).toBe(own);
  }
});

test.each([404, 410, 500, 503])("a %i is never cached, whatever its URL", async (status) => {
  const response = await answered((to) => {
    to.setHeader("Cache-Control", "public, max-age=300");
    to.writeHead(status).end();
  });
  expect(response.headers.get("cache-control")).toBe("no-store");
});

test("a successful response keeps its Cache-Control", async () => {
  const response = await answered((to) => {
    to.setHeader("Cache-Control", "public, max-age=300");
    to.end();
  });
  expect(response.headers.get("cache-control")).toBe("public, max-age=300");
});
