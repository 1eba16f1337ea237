/** @jsxImportSource preact */
import { createCheckoutStore } from "@/lib/client/checkout/payment-form/checkout-store";
import { textsOf } from "@/lib/client/checkout/payment-form/texts";
import type { CheckoutPage } from "@/lib/contract/checkout/checkout";
import { PayApp } from "./pay-app";
import { renderDocument, type Script, type Stylesheet } from "./render-document";

type PayPageOptions = {
  page: CheckoutPage;
  /** Null for the preview: nothing is sent. */
  token: string | null;
  embedded: boolean;
  nonce: string;
  script: Script;
  stylesheet: Stylesheet;
};

/** The payment form as an HTML document, which the script then hydrates. */
export function renderPayPage({ page, token, embedded, nonce, script, stylesheet }: PayPageOptions): string {
  const preview = token === null;
  const data: PageData = { page, token, embedded };
  const texts = textsOf(page.locale);
  return renderDocument({
    title: texts.title(page.merchant_name),
    locale: page.locale,
    appearance: page.appearance,
    nonce,
    stylesheet,
    script: { ...script, data },
    layout: embedded ? "embedded" : "page",
    body: (
      <>
        <noscript>
          <p class="no-script">{texts.noScript}</p>
        </noscript>
        <div id="root">
          <PayApp
            store={createCheckoutStore({ page, server: NO_SERVER, parent: null, preview })}
            embedded={embedded}
            preview={preview}
          />
        </div>
      </>
    ),
  });
}

/** Rendering the first view sends no requests. */
const NO_SERVER = {
  state: () => Promise.reject(new Error("a page that is being rendered has no server")),
  attempt: () => Promise.reject(new Error("a page that is being rendered has no server")),
};

/** Data that the server embeds for the script. */
export type PageData = {
  page: CheckoutPage;
  /** Null for the preview. */
  token: string | null;
  embedded: boolean;
};
