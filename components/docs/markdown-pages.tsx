import type { ReactNode } from "react";
import type { Problem } from "@/lib/contract/errors";
import * as changelog from "./changelog.mdx";
import * as checkout from "./checkout.mdx";
import * as disputes from "./disputes.mdx";
import { DOCS_PAGES, type DocsPath } from "./docs-shell";
import * as errors from "./errors.mdx";
import * as goingLive from "./going-live.mdx";
import * as guide from "./guide.mdx";
import * as mcp from "./mcp.mdx";
import * as processors from "./processors.mdx";
import { type MarkdownPage, WRITTEN_ADDRESS, WRITTEN_NODE_CLIENT, withAddress } from "./prose";
import * as quickstart from "./quickstart.mdx";
import * as subscriptions from "./subscriptions.mdx";
import * as tables from "./tables";
import * as testing from "./testing.mdx";
import { toMarkdown } from "./to-markdown";
import * as webhooks from "./webhooks.mdx";

/**
 * The guides as Markdown, for machines and for the search index. Machines read OpenAPI instead of the
 * reference.
 */

const WRITTEN: Record<Exclude<DocsPath, "/docs/reference">, MarkdownPage> = {
  "/docs": guide,
  "/docs/quickstart": quickstart,
  "/docs/checkout": checkout,
  "/docs/subscriptions": subscriptions,
  "/docs/disputes": disputes,
  "/docs/webhooks": webhooks,
  "/docs/processors": processors,
  "/docs/mcp": mcp,
  "/docs/errors": errors,
  "/docs/testing": testing,
  "/docs/going-live": goingLive,
  "/docs/changelog": changelog,
};
type WrittenPath = keyof typeof WRITTEN;

export const isWritten = (path: string): path is WrittenPath => Object.hasOwn(WRITTEN, path);

/** Headings in page order, without the page's title. */
export const headingsOf = (path: WrittenPath) => WRITTEN[path].headings;

export type Site = Parameters<typeof tables.guideParts>[0] & {
  nodeClient?: string;
  hasDemo: boolean;
  problem: Problem;
};

/** A guide as Markdown, its components included. `instead` replaces components by name. */
export function writtenMarkdown(path: WrittenPath, site: Site, instead: Record<string, () => ReactNode> = {}): string {
  const { default: Content } = WRITTEN[path];
  const { guideParts, ...drawn } = tables;
  const parts = {
    ...drawn,
    ...guideParts(site, site.problem),
    Demo: ({ children }: { children: ReactNode }) => site.hasDemo && children,
    SandboxKey: () => null,
    CodeTabs: ({ children }: { children: ReactNode }) => children,
    CodeTab: ({ language, children }: { language: string; children: ReactNode }) => [
      <p key="language">
        <strong>{language}</strong>
      </p>,
      <div key="content">{children}</div>,
    ],
    ...instead,
  };
  const address = site.sandboxBaseUrl ?? site.baseUrl;
  const text = toMarkdown(<Content components={parts} />, (href) => markdownAddress(href, site.baseUrl));
  return withAddress(text, address, site.nodeClient);
}

/** Absolute target of a link in Markdown: a guide's Markdown form, or the page itself. */
function markdownAddress(href: string, baseUrl: string): string {
  const [, path = "", anchor = ""] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  if (!path.startsWith("/")) return href;
  return `${baseUrl}${path}${isWritten(path) ? ".md" : ""}${anchor}`;
}

/** `/llms.txt`: a summary of Cardlane and a line for every page. */
export function llmsText({ baseUrl, nodeClient }: { baseUrl: string; nodeClient?: string }): string {
  const pages = DOCS_PAGES.map(({ href, label, about }) => `- [${label}](${markdownAddress(href, baseUrl)}): ${about}`);
  const client = withAddress(WRITTEN_ADDRESS + WRITTEN_NODE_CLIENT, baseUrl, nodeClient);
  return `# Cardlane

> A card payment service: an HTTP API to take, capture, void and refund card payments and to bill subscriptions, with a
> payment form, webhooks and a sandbox.

- Amounts are integers in minor units. Everything that moves money takes an \`X-Idempotency-Key\` and never happens twice.
- A payment whose \`status\` is \`PENDING\` has no known outcome yet: repeat the request with the same key, never with a new one.
- A test key can turn its sandbox's clock (\`POST /v1/test-clock/advance\`), so that renewals can be tested in seconds.
- Error codes have a page each: \`${baseUrl}/docs/errors/{code}\`.

## Documentation

${pages.join("\n")}

## For tools

- [OpenAPI 3.1](${baseUrl}/v1/openapi.json): every endpoint, schema and example.
- [Postman collection](${baseUrl}/docs/postman.json): every endpoint as a request.
- [Client for Node](${client}): \`npm install ${client}\`, then \`import { Cardlane } from "@cardlane/node"\`.
`;
}
