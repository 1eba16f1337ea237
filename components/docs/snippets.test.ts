import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Tests that copy samples from the pages and run them. */
const tests = readdirSync("e2e/docs")
  .filter((file) => file.endsWith(".spec.ts"))
  .map((file) => readFileSync(`e2e/docs/${file}`, "utf8"))
  .join("\n");

const pages = readdirSync("components/docs").filter((file) => file.endsWith(".mdx"));

describe.each(pages)("%s", (page) => {
  const text = readFileSync(`components/docs/${page}`, "utf8");
  const fences = [...text.matchAll(/^```(\w*)(?: (.*))?\n([\s\S]*?)^```$/gm)];

  it("names each of its samples, and a test that runs them names it, too", () => {
    for (const [, language, meta = "", code = ""] of fences) {
      const title = /title="([^"]+)"/.exec(meta)?.[1];
      expect(title, code).toBeDefined();
      expect(language, title).not.toBe("");
      expect(tests, `${page}: no test runs "${title}"`).toContain(JSON.stringify(title));
    }
  });
});
