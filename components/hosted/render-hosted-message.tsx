/** @jsxImportSource preact */

import type { CheckoutLocale } from "@/lib/contract/checkout-locales";
import { type CheckoutErrorCode, wrap } from "@/lib/contract/checkout-messages";
import { AlertIcon } from "./icons";
import { inScript, renderDocument, type Stylesheet } from "./render-document";

/** What the page that embeds this one is told, at its exact origin. */
export type HostedReport = { origin: string; code: CheckoutErrorCode; message: string };

type HostedMessage = {
  title: string;
  text: string;
  nonce: string;
  stylesheet: Stylesheet;
  locale: CheckoutLocale;
  report?: HostedReport | null;
};

/** High enough for the words. */
const HEIGHT = 260;

function reporting({ origin, code, message }: HostedReport): string {
  const messages = [
    wrap({ type: "resize", height: HEIGHT }),
    wrap({ type: "error", code, message, attempts_left: null }),
  ];
  return `for (const message of ${inScript(messages)}) parent.postMessage(message, ${inScript(origin)});`;
}

/** A page that only says something: there is no such payment, or the form may not be shown here. */
export function renderHostedMessage({ title, text, nonce, stylesheet, locale, report }: HostedMessage): string {
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
