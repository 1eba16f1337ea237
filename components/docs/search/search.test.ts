import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, test, vi } from "vitest";
import { ERROR_CODES } from "@/lib/contract/errors";
import { EVENT_TYPES } from "@/lib/contract/events/event";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import { buildOpenApi } from "@/lib/http/openapi";
import { errorExample } from "@/lib/http/openapi-schemas";
import { searchDocuments } from "./documents";
import { createSearch, loadSearch, type SearchResult } from "./search";

const urls = { baseUrl: "https://pay.example", sandboxBaseUrl: null, liveBaseUrl: null };
const problem = errorExample("card_declined", "https://pay.example/docs").value;
const documents = searchDocuments(buildOpenApi(urls), { ...urls, hasDemo: true, problem });
const search = createSearch(documents);
const first = (question: string) => search(question, 1)[0]?.href;
const textOf = ({ title, excerpt }: SearchResult) => [...title, ...excerpt].map(({ text }) => text).join("");

test.each([
  ["idempotency", "/docs#idempotency"],
  ["idemp", "/docs#idempotency"],
  ["idempotancy", "/docs#idempotency"],
  ["outcome unknown", "/docs#unknown"],
  ["rotate secret", "/docs/reference#rotateWebhookSecret"],
  ["handle events once", "/docs/webhooks#once"],
  ["create a payment", "/docs/reference#createPayment"],
  ["refund a payment", "/docs/reference#refundPayment"],
  ["POST /v1/payments/{id}/capture", "/docs/reference#capturePayment"],
  ["capture_method", "/docs/reference#createPayment.capture_method"],
  ["card_declined", "/docs/errors/card_declined"],
  ["amount_exceeds_refundable", "/docs/errors/amount_exceeds_refundable"],
  ["payment.captured", "/docs/webhooks#event-payment.captured"],
  ["4000000000009995", "/docs/testing#card-4000000000009995"],
  ["4000 0000 0000 9995", "/docs/testing#card-4000000000009995"],
  ["npm run listen", "/docs#receive-its-webhook"],
])("%j finds %s first", (question, href) => expect(first(question)).toBe(href));

describe("the search of the documentation", () => {
  it("finds every error code, event and test card by its name", () => {
    for (const code of ERROR_CODES) expect(first(code)).toBe(`/docs/errors/${code}`);
    for (const type of EVENT_TYPES) expect(first(type)).toBe(`/docs/webhooks#event-${type}`);
    for (const { number } of SANDBOX_CARDS) expect(first(number)).toBe(`/docs/testing#card-${number}`);
  });

  it("highlights the search terms, and shortens the text around them", () => {
    const [result] = search("leaked key", 1) as [SearchResult];
    const marked = result.excerpt.filter((piece) => piece.marked).map(({ text }) => text);
    expect(marked).toEqual(expect.arrayContaining(["leaked", "key"]));
    for (const found of search("key", 50)) {
      expect([...found.title, ...found.place, ...found.excerpt].some((piece) => piece.marked)).toBe(true);
      expect(found.excerpt.map(({ text }) => text).join("").length).toBeLessThan(170);
    }
  });

  it("finds nothing for an empty query or for unknown words", () => {
    for (const question of ["", "   ", "()[]{}", "zzzzqqqq"]) expect(search(question, 10)).toEqual([]);
  });

  it("never confuses two numbers", () => {
    for (const result of search("4000000000009996", 10)) expect(textOf(result)).not.toContain("4000 0000 0000 9995");
  });

  it("treats special characters as text", () => {
    for (const question of ["__proto__", "constructor", "<script>", "\\", "a".repeat(200), "💳", "%"]) {
      expect(Array.isArray(search(question, 10))).toBe(true);
    }
  });
});

test("documents have one address each, words to find them by, and no marks of Markdown", () => {
  const hrefs = documents.map(({ href, title }) => `${href} ${title}`);
  expect(hrefs).toEqual([...new Set(hrefs)]);
  for (const { href, title, text } of documents) {
    expect(href).toMatch(/^\/docs(?:\/|#|$)/);
    expect(title, href).not.toMatch(/^$|`|\[#|undefined/);
    expect(text, href).not.toMatch(/`|\]\(|\| ---|undefined|\[object/);
  }
  expect(JSON.stringify(documents).length).toBeLessThan(230_000);
});

afterEach(() => void vi.unstubAllGlobals());

test("the search unpacks its documents, and throws when it cannot have them", async () => {
  const packed = [{ href: "/docs#keys", kind: "guide", title: "Keys", place: "Guide", text: "A key opens." }];
  vi.stubGlobal("fetch", async () => new Response(gzipSync(JSON.stringify(packed))));
  expect((await loadSearch())("opens", 5)).toMatchObject([{ href: "/docs#keys" }]);
  vi.stubGlobal("fetch", async () => new Response("Too many", { status: 429 }));
  await expect(loadSearch()).rejects.toThrow("429");
  vi.stubGlobal("fetch", async () => new Response("no gzip"));
  await expect(loadSearch()).rejects.toThrow(/header check/);
});
