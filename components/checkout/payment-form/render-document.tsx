/** @jsxImportSource preact */
import type { ComponentChild, VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { directionOf } from "@/lib/client/checkout/payment-form/texts";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { type FrameMessage, wrap } from "@/lib/contract/checkout/messages";
import { appearanceStyle } from "./appearance-style";
import { AlertIcon } from "./icons";

export type Stylesheet = { href: string; integrity: string };
export type Script = { src: string; integrity: string };

type DocumentParts = {
  title: string;
  locale: CheckoutLocale;
  appearance: Appearance | null;
  nonce: string;
  stylesheet: Stylesheet;
  /** Hydrates the page with `data`; without it the page runs no bundle. */
  script?: Script & { data: unknown };
  /** Script inlined verbatim, for pages without a bundle. */
  inlineScript?: string | undefined;
  /** Selector for the style sheet. */
  layout: "embedded" | "page" | "centred" | "framed" | "receipt";
  /** Referrer policy: none, unless a form must show that it comes from our own page. */
  referrer?: "same-origin";
  body: VNode<ComponentChild>;
};

/** HTML document of the shoppers' pages. It has no inline styles because its policy forbids them. */
export function renderDocument(parts: DocumentParts): string {
  const { title, locale, appearance, nonce, stylesheet, script, inlineScript, layout, body } = parts;
  return [
    "<!doctype html>",
    `<html lang="${locale}" dir="${directionOf(locale)}" class="${layout}"><head><meta charset="utf-8">`,
    `<title>${escaped(title)}</title>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">',
    '<meta name="robots" content="noindex, nofollow">',
    `<meta name="referrer" content="${parts.referrer ?? "no-referrer"}">`,
    '<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">',
    // Without it, browsers request a favicon that doesn't exist.
    '<link rel="icon" href="/favicon.svg" type="image/svg+xml">',
    `<style nonce="${escaped(nonce)}">${appearanceStyle(appearance)}</style>`,
    `<link rel="stylesheet" href="${escaped(stylesheet.href)}" ${trust(stylesheet, nonce)}>`,
    script ? `<script type="module" src="${escaped(script.src)}" ${trust(script, nonce)}></script>` : "",
    `</head><body>${renderToString(body)}`,
    script ? `<script type="application/json" id="checkout">${inScript(script.data)}</script>` : "",
    inlineScript ? `<script nonce="${escaped(nonce)}">${inlineScript}</script>` : "",
    "</body></html>",
  ].join("");
}

/** The policy requires a nonce and a digest for each file. */
const trust = ({ integrity }: { integrity: string }, nonce: string) =>
  `integrity="${escaped(integrity)}" nonce="${escaped(nonce)}"`;

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** JSON that can't break out of its element: `</script>` and `<!--` lose their first character. */
const inScript = (data: unknown) => JSON.stringify(data).replace(/</g, "\\u003c");

/** Message for the embedding page, sent to its exact origin. */
export type FailureReport = { origin: string; message: FrameMessage };

type MessagePage = {
  title: string;
  text: string;
  nonce: string;
  stylesheet: Stylesheet;
  locale: CheckoutLocale;
  report?: FailureReport | null;
};

/** Height that fits the text. */
const HEIGHT = 260;

function reporting({ origin, message }: FailureReport): string {
  const messages = [wrap({ type: "resize", height: HEIGHT }), wrap(message)];
  return `for (const message of ${inScript(messages)}) parent.postMessage(message, ${inScript(origin)});`;
}

/** A page with only a message: no such payment, or the form may not be shown here. */
export function renderMessagePage({ title, text, nonce, stylesheet, locale, report }: MessagePage): string {
  return renderDocument({
    title,
    locale,
    appearance: { theme: "system" },
    nonce,
    stylesheet,
    layout: "centred",
    inlineScript: report ? reporting(report) : undefined,
    body: (
      <main class="outcome message">
        <span class="badge">
          <AlertIcon size={24} />
        </span>
        <h1>{title}</h1>
        <p class="soft">{text}</p>
      </main>
    ),
  });
}
