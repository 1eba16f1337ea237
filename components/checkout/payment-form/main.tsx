/** @jsxImportSource preact */
import { hydrate } from "preact";
import { createCheckoutServer } from "@/lib/client/checkout/payment-form/checkout-server";
import { type CheckoutStore, createCheckoutStore } from "@/lib/client/checkout/payment-form/checkout-store";
import type { FieldName } from "@/lib/client/checkout/payment-form/checkout-view";
import { createParentLink } from "@/lib/client/checkout/payment-form/parent-link";
import type { ParentMessage } from "@/lib/contract/checkout/messages";
import { focusFirstProblem, PayApp } from "./pay-app";
import type { PageData } from "./render-pay-page";

type OnMessage = (message: ParentMessage) => void;

/** Entry point: hydrates the page that the server rendered. */
function start(): void {
  const root = document.getElementById("root");
  const json = document.getElementById("checkout")?.textContent;
  if (!root || !json) throw new Error("this is not the page of a payment form");
  const { page, token, embedded } = JSON.parse(json) as PageData;
  const framed = window.parent !== window;
  const parent = framed && page.parent_origin ? createParentLink(page.parent_origin) : null;
  const server = createCheckoutServer({ base: `/pay/${token ?? "preview"}` });
  const linked = parent && {
    ...parent,
    open: (onMessage: OnMessage) => parent.open((message) => handleMessage(message, onMessage)),
  };
  const store = createCheckoutStore({ page, server, parent: linked, preview: token === null });
  // The shop's own button was pressed: show missing fields, as the form's button does.
  const handleMessage = (message: ParentMessage, onMessage: OnMessage) => {
    onMessage(message);
    if (message.type === "submit") focusFirstProblem(store.view());
  };
  const typed = readTypedValues(root);
  hydrate(<PayApp store={store} embedded={embedded} preview={token === null} />, root);
  keep(typed, store);
  parent?.watchHeight(document.body);
  store.start();
}

/** Values typed or autofilled before the script ran. */
function readTypedValues(root: HTMLElement): [FieldName, string][] {
  const inputs = [...root.querySelectorAll("input")];
  return inputs.flatMap((input): [FieldName, string][] => {
    // A checkbox has a value whether or not it is ticked.
    const isTyped = input.type === "checkbox" ? input.checked : input.value !== input.defaultValue;
    return isTyped ? [[input.id as FieldName, input.value]] : [];
  });
}

function keep(typed: [FieldName, string][], store: CheckoutStore): void {
  for (const [field, value] of typed) store.change(field, value);
}

start();
