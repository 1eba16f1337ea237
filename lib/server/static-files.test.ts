import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paymentFormAsset } from "@/lib/http/payment-form-assets";
import { compressBuild } from "./build-output";
import { withStaticFiles } from "./static-files";

const TEXT = "const answer = 42;\n".repeat(100);
const root = mkdtempSync(join(tmpdir(), "cardlane-static-"));
const sdk = join(root, "public", "sdk");
let server: Server;
let base = "";

beforeAll(async () => {
  const chunks = join(root, ".next", "static", "chunks");
  mkdirSync(chunks, { recursive: true });
  writeFileSync(join(chunks, "a1.js"), TEXT);
  writeFileSync(join(root, ".next", "BUILD_ID"), "secret");
  await compressBuild(join(root, ".next", "static"));
  mkdirSync(sdk, { recursive: true });
  for (const name of ["v1.js", "v1.d.ts", "frame.js", "frame.css", "other.js"]) writeFileSync(join(sdk, name), TEXT);
  await compressBuild(sdk);
  const listener = withStaticFiles(root, async (request, response) => {
    response.end(`page ${request.url}`);
  });
  server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true, force: true });
});

test.each(["br", "gzip"])("a browser that accepts %s gets that copy, for a year", async (encoding) => {
  const response = await fetch(`${base}/_next/static/chunks/a1.js`, { headers: { "accept-encoding": encoding } });
  expect(response.headers.get("content-encoding")).toBe(encoding);
  expect(response.headers.get("cache-control")).toContain("immutable");
  expect(response.headers.get("content-type")).toContain("javascript");
  expect(Number(response.headers.get("content-length"))).toBeLessThan(TEXT.length / 5);
  expect(await response.text()).toBe(TEXT);
});

test("a browser that accepts neither gets the uncompressed file", async () => {
  const response = await fetch(`${base}/_next/static/chunks/a1.js`, { headers: { "accept-encoding": "identity" } });
  expect(response.headers.get("content-encoding")).toBeNull();
  expect(await response.text()).toBe(TEXT);
});

test("other paths are passed to the pages with an unchanged URL", async () => {
  for (const path of ["/_next/static/chunks/other.js", "/_next/static/../BUILD_ID", "/_next/image?x=1", "/test"]) {
    const text = await (await fetch(base + path)).text();
    expect(text).toMatch(/^page \//);
    expect(text).not.toContain("secret");
  }
});

test("any site may load the merchants' script, compressed, and revalidates after five minutes", async () => {
  const response = await fetch(`${base}/sdk/v1.js`, { headers: { "accept-encoding": "br" } });
  expect(response.headers.get("content-encoding")).toBe("br");
  expect(response.headers.get("cache-control")).toBe("public, max-age=300, stale-while-revalidate=86400");
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(await response.text()).toBe(TEXT);
  const again = await fetch(`${base}/sdk/v1.js`, {
    headers: { "accept-encoding": "br", "if-none-match": response.headers.get("etag") ?? "" },
  });
  expect(again.status).toBe(304);
  expect(again.headers.get("cache-control")).toContain("max-age=300");
});

test("its type declarations are served as plain text", async () => {
  expect((await fetch(`${base}/sdk/v1.d.ts`)).headers.get("content-type")).toBe("text/plain; charset=utf-8");
});

test("the payment form's files are cached for a year under their own digest, and no other", async () => {
  for (const [file, type] of [
    ["frame.js", "text/javascript"],
    ["frame.css", "text/css"],
  ] as const) {
    const { version } = paymentFormAsset(join(sdk, file));
    const named = await fetch(`${base}/sdk/${file}?v=${version}`);
    expect(named.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(named.headers.get("content-type")).toBe(type);
    expect(named.headers.get("cross-origin-resource-policy")).toBe("same-origin");
    for (const address of [file, `${file}?v=${version}0`, `${file}?v=`]) {
      expect((await fetch(`${base}/sdk/${address}`)).headers.get("cache-control"), address).toBe("no-cache");
    }
  }
});

test("a rebuilt form is served immediately and completely", async () => {
  const { version } = paymentFormAsset(join(sdk, "frame.js"));
  writeFileSync(join(sdk, "frame.js"), `${TEXT}// and more`);
  await compressBuild(sdk);
  const response = await fetch(`${base}/sdk/frame.js?v=${paymentFormAsset(join(sdk, "frame.js")).version}`);
  expect(await response.text()).toBe(`${TEXT}// and more`);
  expect(response.headers.get("cache-control")).toContain("immutable");
  expect((await fetch(`${base}/sdk/frame.js?v=${version}`)).headers.get("cache-control")).toBe("no-cache");
});

test("during a build, browsers get the uncompressed file, uncached", async () => {
  writeFileSync(join(sdk, "frame.css"), `${TEXT}/* newer than its copies */`);
  const address = `${base}/sdk/frame.css?v=${paymentFormAsset(join(sdk, "frame.css")).version}`;
  const response = await fetch(address, { headers: { "accept-encoding": "br" } });
  expect(response.headers.get("content-encoding")).toBeNull();
  expect(await response.text()).toContain("newer than its copies");
  expect(response.headers.get("cache-control")).toBe("no-cache");
});

test.each(["bytes=5-1", "bytes=0-3", "bytes=99999999-"])("a range, %s, gets the whole file", async (range) => {
  const response = await fetch(`${base}/sdk/v1.js`, { headers: { range } });
  expect([response.status, await response.text()]).toEqual([200, TEXT]);
});

test("a page that fails after no file was found rejects the listener", async () => {
  const failing = withStaticFiles(root, () => Promise.reject(new Error("no page")));
  const request = { url: "/sdk/nothing.js", method: "GET", headers: {} } as never;
  await expect(failing(request, { once: () => {} } as never)).rejects.toThrow("no page");
});

test("nothing else of that folder is served", async () => {
  for (const path of ["/sdk/other.js", "/sdk/v1.js.br", "/sdk/", "/sdk/../../.next/BUILD_ID", "/sdk/constructor"]) {
    expect(await (await fetch(base + path)).text()).toMatch(/^page \//);
  }
});

test("the compressed copies match the file", () => {
  const copy = readFileSync(join(root, ".next", "static", "chunks", "a1.js.br"));
  expect(brotliDecompressSync(copy).toString("utf8")).toBe(TEXT);
});
