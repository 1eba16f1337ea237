import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import plaintext from "highlight.js/lib/languages/plaintext";
import python from "highlight.js/lib/languages/python";
import xml from "highlight.js/lib/languages/xml";
import { CopyButton } from "@/components/ui/copy";

const LANGUAGES = { sh: bash, js: javascript, json, text: plaintext, py: python, html: xml };
export type CodeLanguage = keyof typeof LANGUAGES;

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
// Also for scripts in HTML.
hljs.registerLanguage("javascript", javascript);

type CodeBlockProps = {
  code: string;
  language: CodeLanguage;
  title: string;
  /** Scrolls inside instead of growing beyond this height. */
  tall?: boolean;
};

/** Highlighted on the server, so that no browser loads the highlighter. */
export function CodeBlock({ code, language, title, tall = false }: CodeBlockProps) {
  return (
    <figure className="overflow-hidden rounded-md border bg-raised">
      <figcaption className="flex items-center justify-between gap-2 border-b py-1 pr-1.5 pl-3 text-soft text-xs">
        {title}
        <CopyButton />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={`overflow-auto ${tall ? "max-h-96" : ""}`} tabIndex={0} aria-label={title}>
        <pre className="code w-max px-3 py-2.5 font-mono text-[12.5px] leading-[1.6]">
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the highlighter escapes, and its input is our own */}
          <code dangerouslySetInnerHTML={{ __html: withKeyPlaces(highlight(code, language), language) }} />
        </pre>
      </section>
    </figure>
  );
}

/** Without spans for punctuation, which is half of JSON and has no color of its own. */
const highlight = (code: string, language: CodeLanguage) =>
  hljs.highlight(code, { language }).value.replaceAll(/<span class="hljs-punctuation">([^<]+)<\/span>/g, "$1");

/**
 * Marks the places for the reader's own test key: in commands only, because the code in files reads it from
 * the environment.
 */
const withKeyPlaces = (html: string, language: CodeLanguage) =>
  language === "sh" ? html.replace(/\$CARDLANE_KEY\b|sk_test_…/g, "<span data-sandbox-key>$&</span>") : html;

type CurlRequest = {
  method: string;
  url: string;
  /** Key of a money operation: each run of the command needs its own. */
  idempotencyKey?: string;
  withApiKey: boolean;
  body?: unknown;
  /** Name of a file to upload. */
  file?: string;
};

/** The request as a shell command; `$CARDLANE_KEY` is the API key. */
export function curl({ method, url, idempotencyKey, withApiKey, body, file }: CurlRequest): string {
  const flags: string[] = [];
  if (withApiKey) flags.push('-H "X-Api-Key: $CARDLANE_KEY"');
  if (idempotencyKey !== undefined) flags.push(`-H "X-Idempotency-Key: ${idempotencyKey}"`);
  if (file !== undefined) flags.push(`-F file=@${file}`);
  if (body !== undefined) {
    flags.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(body, null, 2)}'`);
  }
  const target = url.includes("?") ? `'${url}'` : url;
  const first = method === "GET" ? `curl ${target}` : `curl -X ${method} ${target}`;
  return [first, ...flags].join(" \\\n  ");
}
