import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compressBuild } from "./compress-build";
import { withStaticFiles } from "./static-files";

const TEXT = "const answer = 42;\n".repeat(100);
const root = mkdtempSync(join(tmpdir(), "cardlane-static-"));
let server: Server;
let base = "";

beforeAll(async () => {
  const chunks = join(root, ".next", "static", "chunks");
  mkdirSync(chunks, { recursive: true });
  writeFileSync(join(chunks, "a1.js"), TEXT);
  writeFileSync(join(root, ".next", "BUILD_ID"), "secret");
  await compressBuild(join(root, ".next", "static"));
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

test.each(["br", "gzip"])("a browser that takes %s gets that copy, for a year", async (encoding) => {
  const response = await fetch(`${base}/_next/static/chunks/a1.js`, { headers: { "accept-encoding": encoding } });
  expect(response.headers.get("content-encoding")).toBe(encoding);
  expect(response.headers.get("cache-control")).toContain("immutable");
  expect(response.headers.get("content-type")).toContain("javascript");
  expect(Number(response.headers.get("content-length"))).toBeLessThan(TEXT.length / 5);
  expect(await response.text()).toBe(TEXT);
});

test("a browser that takes neither gets the file itself", async () => {
  const response = await fetch(`${base}/_next/static/chunks/a1.js`, { headers: { "accept-encoding": "identity" } });
  expect(response.headers.get("content-encoding")).toBeNull();
  expect(await response.text()).toBe(TEXT);
});

test("what the build did not make for browsers is the pages' to answer, with its own address", async () => {
  for (const path of ["/_next/static/chunks/other.js", "/_next/static/../BUILD_ID", "/_next/image?x=1", "/test"]) {
    const text = await (await fetch(base + path)).text();
    expect(text).toMatch(/^page \//);
    expect(text).not.toContain("secret");
  }
});

test("the copies hold what the file holds", () => {
  const copy = readFileSync(join(root, ".next", "static", "chunks", "a1.js.br"));
  expect(brotliDecompressSync(copy).toString("utf8")).toBe(TEXT);
});
