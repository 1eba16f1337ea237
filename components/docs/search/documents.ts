import { ERROR_GUIDE } from "@/lib/contract/error-guide";
import { ERROR_CODES, ERRORS } from "@/lib/contract/errors";
import { EVENTS } from "@/lib/contract/events/event";
import { groupedNumber } from "@/lib/contract/format";
import { bodyOf, type JsonSchema, type OpenApiDocument, parametersOf } from "@/lib/contract/openapi-document";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import { BRAND_NAMES } from "@/lib/contract/transactions/words";
import { DOCS_PAGES } from "../docs-shell";
import { headingsOf, isWritten, type Site, writtenMarkdown } from "../markdown-pages";
import { memberAnchor, OBJECTS, refName } from "../reference/member-list";
import type { SearchDocument } from "./search";

/** Search index of the documentation, built from the sources of its pages. */
export function searchDocuments(document: OpenApiDocument, site: Site): SearchDocument[] {
  return [...guides(site), ...reference(document), ...errors(), ...events(), ...cards()];
}

const nothing = () => null;
/** Components whose content has search documents of its own. */
const LISTED = { ErrorCodes: nothing, EventCatalogue: nothing, TestCards: nothing };

function guides(site: Site): SearchDocument[] {
  return DOCS_PAGES.flatMap(({ href, label }) => {
    if (!isWritten(href)) return [];
    const [, ...parts] = writtenMarkdown(href, site, LISTED)
      .replace(/^```([^\n]*)\n((?:(?!```).*\n)*)```$/gm, (_, meta: string, code: string) =>
        // Users search for commands; files would be most of the index.
        /^sh\b/.test(meta) ? code : "",
      )
      .split(/^#{1,4} /m);
    const headings = headingsOf(href);
    return parts.map((part, at): SearchDocument => {
      const [title = "", ...lines] = part.split("\n");
      const heading = at === 0 ? null : headings[at - 1];
      if (heading && heading.label !== plain(title)) throw new Error(`${href} has no heading "${title}".`);
      return {
        href: heading ? `${href}#${heading.id}` : href,
        kind: href === "/docs/changelog" ? "change" : "guide",
        title: plain(title),
        place: label,
        text: plain(lines.join("\n")),
      };
    });
  });
}

/** Markdown without its marks. */
const plain = (markdown: string): string =>
  markdown
    .replace(/^\| ---.*$/gm, "")
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/\\([<|])/g, "$1")
    .replace(/[`*]|^[>#|-] | \|$/gm, "")
    .replace(/ \| /g, " · ")
    .replace(/\s+/g, " ")
    .trim();

function reference(document: OpenApiDocument): SearchDocument[] {
  const { schemas } = document.components;
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, endpoint]) => ({ call: `${method.toUpperCase()} ${path}`, endpoint })),
  );
  // Parameters that many endpoints share, such as `limit`, are listed once.
  const known = new Set<string>();
  return [
    ...endpoints.map(({ call, endpoint }) => ({
      href: `/docs/reference#${endpoint.operationId}`,
      kind: "endpoint" as const,
      title: endpoint.summary,
      place: call,
      text: endpoint.description.replaceAll("`", "").replaceAll("\n", " "),
    })),
    ...endpoints.flatMap(({ endpoint }) => {
      const body = bodyOf(endpoint) ?? {};
      const members = [
        ...parametersOf(endpoint, document).map(({ name, description }) => ({ anchor: name, name, description })),
        ...membersOf(schemas[refName(body) ?? ""] ?? body, document),
      ];
      return members.flatMap(({ anchor, name, description }): SearchDocument[] => {
        const fact = `${name} ${description}`;
        if (known.has(fact)) return [];
        known.add(fact);
        const href = `/docs/reference#${memberAnchor(endpoint.operationId, anchor)}`;
        return [
          { href, kind: "parameter", title: name, place: endpoint.summary, text: description.replaceAll("`", "") },
        ];
      });
    }),
    ...OBJECTS.map((name) => ({
      href: `/docs/reference#${name}`,
      kind: "object" as const,
      title: name,
      place: "Object",
      text: Object.keys(schemas[name]?.properties ?? {}).join(", "),
    })),
  ];
}

type Found = { anchor: string; name: string; description: string };

/** Members of a body by their full path. The page shows nested members within the outermost one. */
function membersOf({ properties = {} }: JsonSchema, document: OpenApiDocument, within?: Found): Found[] {
  return Object.entries(properties).flatMap(([key, member]) => {
    const resolved = document.components.schemas[refName(member) ?? ""] ?? member;
    const name = within ? `${within.name}.${key}` : key;
    const found = {
      anchor: within?.anchor ?? key,
      name,
      description: member.description ?? resolved.description ?? "",
    };
    return [found, ...membersOf(resolved, document, found)];
  });
}

const errors = (): SearchDocument[] =>
  ERROR_CODES.map((code) => ({
    href: `/docs/errors/${code}`,
    kind: "error",
    title: code,
    place: `HTTP ${ERRORS[code].status}`,
    text: [`${ERRORS[code].title}.`, ERROR_GUIDE[code].cause, ERROR_GUIDE[code].cure].join(" ").replaceAll("`", ""),
  }));

const events = (): SearchDocument[] =>
  Object.entries(EVENTS).map(([type, { summary }]) => ({
    href: `/docs/webhooks#event-${type}`,
    kind: "event",
    title: type,
    place: "Webhooks",
    text: summary.replaceAll("`", ""),
  }));

const cards = (): SearchDocument[] =>
  SANDBOX_CARDS.map(({ number, brand, group, effect }) => ({
    href: `/docs/testing#card-${number}`,
    kind: "card",
    title: groupedNumber(number),
    place: `${BRAND_NAMES[brand]}, ${group}`,
    text: effect,
    // The number as users paste it.
    also: number,
  }));
