import { createElement as h } from "react";
import { describe, expect, it, test } from "vitest";
import { ERROR_CODES } from "@/lib/contract/errors";
import { EVENT_TYPES } from "@/lib/contract/events/event";
import { errorExample } from "@/lib/http/openapi-schemas";
import { DOCS_PAGES } from "./docs-shell";
import { isWritten, llmsText, writtenMarkdown } from "./markdown-pages";
import { toMarkdown } from "./to-markdown";

const baseUrl = "https://pay.example";
const urls = { baseUrl, sandboxBaseUrl: null, liveBaseUrl: null };
const site = { ...urls, hasDemo: false, problem: errorExample("card_declined", `${baseUrl}/docs`).value };
const pages = new Map(
  DOCS_PAGES.map(({ href }) => href)
    .filter(isWritten)
    .map((href) => [href, writtenMarkdown(href, site)] as const),
);
const withoutCode = (text: string) => text.replace(/^ *```[\s\S]*?^ *```$/gm, "").replace(/`[^`\n]*`/g, "");

describe.each([...pages])("%s as Markdown", (_path, text) => {
  it("is pure Markdown: one title, no components or tags, complete fences and tables", () => {
    expect(text.match(/^# /gm)?.length).toBeGreaterThanOrEqual(1);
    expect(text.startsWith("# ")).toBe(true);
    expect(withoutCode(text)).not.toMatch(/(?<!\\)<[A-Za-z/]|\[object|undefined|\{" "\}|\[#/);
    expect((text.match(/^ *```/gm) ?? []).length % 2).toBe(0);
    expect(text).not.toContain("localhost:3000");
    const cells = (line: string) => line.replaceAll("\\|", "").split("|").length;
    const lines = text.replace(/^ *```[\s\S]*?^ *```$/gm, "").split("\n");
    for (const [index, line] of lines.entries()) {
      const above = lines[index - 1];
      if (line.startsWith("| ") && above?.startsWith("| ")) expect(cells(line), line).toBe(cells(above));
    }
  });

  it("links to pages that exist as Markdown", () => {
    for (const [, href = ""] of withoutCode(text).matchAll(/\]\((\/[^)]*)\)/g)) expect.fail(`${href} is not absolute`);
    for (const [, path = ""] of withoutCode(text).matchAll(/\]\(https:\/\/pay\.example(\/docs[^)#]*)/g)) {
      if (path.endsWith(".md")) expect([...pages.keys()].map((page) => `${page}.md`)).toContain(path);
      else expect(isWritten(path), path).toBe(false);
    }
  });
});

test("tables, tabs and lists from the contract are complete", () => {
  const webhooks = pages.get("/docs/webhooks") ?? "";
  for (const type of EVENT_TYPES) expect(webhooks).toContain(`| \`${type}\` |`);
  const errors = pages.get("/docs/errors") ?? "";
  for (const code of ERROR_CODES) expect(errors).toContain(`[${code}](${baseUrl}/docs/errors/${code})`);
  const quickstart = pages.get("/docs/quickstart") ?? "";
  expect(quickstart).toMatch(/\*\*curl\*\*[\s\S]*\*\*Node\*\*[\s\S]*\*\*Python\*\*/);
  expect(quickstart).toContain('```js title="server.mjs"\n// server.mjs, a shop');
  expect(pages.get("/docs/testing")).toContain("| `4242 4242 4242 4242` |");
});

test("llms.txt has a line for every page", () => {
  const text = llmsText({ baseUrl });
  for (const { href, label } of DOCS_PAGES)
    expect(text).toContain(`- [${label}](${baseUrl}${href}${isWritten(href) ? ".md" : ""}): `);
  expect(text).toContain(`${baseUrl}/docs/postman.json`);
});

test("nested lists, code in tables and bare angle brackets keep their meaning", () => {
  const list = h("ul", null, h("li", null, "one", h("ul", null, h("li", null, "two"))), h("li", null, "a < b <c>"));
  expect(toMarkdown(list)).toBe("- one\n\n  - two\n- a < b \\<c>\n");
  const row = h("tr", null, h("td", null, h("code", null, '"a" | "b"')), h("td", null, h("a", { href: "/x" }, "x")));
  const head = h("thead", null, h("tr", null, h("th", null, "A"), h("th", null, "B")));
  expect(toMarkdown(h("table", null, head, h("tbody", null, row)))).toBe(
    '| A | B |\n| --- | --- |\n| `"a" \\| "b"` | [x](/x) |\n',
  );
});
