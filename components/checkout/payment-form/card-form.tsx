/** @jsxImportSource preact */

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { CheckoutStore } from "@/lib/client/checkout/payment-form/checkout-store";
import {
  type CardBrandName,
  type CheckoutView,
  deedOf,
  type FieldName,
} from "@/lib/client/checkout/payment-form/checkout-view";
import { textsOf } from "@/lib/client/checkout/payment-form/texts";
import { moneyText } from "@/lib/contract/checkout/localized";
import { BRAND_NAMES, CARD_BRANDS } from "@/lib/contract/transactions/words";
import { AlertIcon, CardMark, CodePicture, isMarked, LockIcon, Spinner } from "./icons";
import { Notice } from "./outcome";

type CardFormProps = {
  view: CheckoutView;
  store: CheckoutStore;
  /** False before the script runs, when the button must not submit the form. */
  live: boolean;
  onSubmit: () => void;
};

/** The fields, the last error and the button. */
export function CardForm({ view, store, live, onSubmit }: CardFormProps) {
  const { locale, shown, phase, page } = view;
  const busy = phase !== "form";
  const typed = shown.filter((name) => name !== "consent");
  const both = shown.includes("name") && shown.includes("postal_code");
  return (
    <form
      class="card-form"
      noValidate
      aria-busy={busy}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) onSubmit();
      }}
    >
      <div class={`fields ${both ? "name-and-postal" : ""}`}>
        {typed.map((name, at) => (
          <Field key={name} name={name} view={view} store={store} last={at === typed.length - 1} busy={busy} />
        ))}
      </div>
      {view.consent && <Consent view={view} store={store} busy={busy} />}
      <Notice view={view} />
      {view.button && (
        <button
          type="submit"
          class="button pay"
          disabled={!live}
          aria-disabled={busy}
          // Keep the focus: a blur could show an error that moves the button before the click completes.
          onMouseDown={(event) => event.preventDefault()}
        >
          {busy && <Spinner />}
          <span>{buttonText(view)}</span>
        </button>
      )}
      <p class="lock">
        <LockIcon />
        {textsOf(locale).cardData(page.merchant_name)}
      </p>
    </form>
  );
}

function buttonText(view: CheckoutView): string {
  const { page, offer, phase, locale } = view;
  const { button, checking } = textsOf(locale);
  const deed = deedOf(view);
  if (phase === "checking") return checking.title;
  if (phase !== "form") return deed === "pay" ? button.paying : button.saving;
  if (deed === "trial") return button.startTrial;
  return deed === "pay" ? button.pay(moneyText(offer.amount ?? 0, page.currency, locale)) : button.save;
}

/** The sentence to which the shopper agrees. */
function Consent({ view, store, busy }: { view: CheckoutView; store: CheckoutStore; busy: boolean }) {
  const problem = view.errors.consent;
  return (
    <div class="field field-consent">
      <label class="consent" for="consent">
        <input
          id="consent"
          type="checkbox"
          checked={view.fields.consent !== ""}
          disabled={busy}
          aria-required="true"
          aria-invalid={problem ? "true" : undefined}
          aria-describedby={problem ? "consent-error" : undefined}
          onChange={(event) => store.change("consent", event.currentTarget.checked ? "on" : "")}
        />
        <span>{view.consent?.[view.locale]}</span>
      </label>
      {problem && (
        <p class="error" id="consent-error">
          <AlertIcon />
          <span>{textsOf(view.locale).problems[problem]}</span>
        </p>
      )}
    </div>
  );
}

type InputSettings = Pick<
  JSX.IntrinsicElements["input"],
  "autocomplete" | "inputMode" | "autocapitalize" | "dir" | "class"
>;

const DIGITS = { inputMode: "numeric", dir: "ltr", class: "digits" } as const;

/**
 * No field has a `name`: if the browser submits the form before the script runs, no card number gets into an
 * address. Browsers fill the fields by `autocomplete`.
 */
const SETTINGS: Record<TypedField, InputSettings> = {
  // Not `type="email"`: browsers alter its value and hide the caret position.
  email: { inputMode: "email", autocomplete: "email", autocapitalize: "off", dir: "ltr" },
  number: { ...DIGITS, autocomplete: "cc-number" },
  expiry: { ...DIGITS, autocomplete: "cc-exp" },
  cvv: { ...DIGITS, autocomplete: "cc-csc" },
  name: { autocomplete: "cc-name", autocapitalize: "words" },
  postal_code: { autocomplete: "postal-code", autocapitalize: "characters" },
};

type TypedField = Exclude<FieldName, "consent">;
type FieldProps = { name: TypedField; view: CheckoutView; store: CheckoutStore; last: boolean; busy: boolean };

/** An input with its label and error. */
function Field({ name, view, store, last, busy }: FieldProps) {
  const texts = textsOf(view.locale);
  const problem = view.errors[name];
  const isOptional = name === "postal_code" && view.page.fields.postal_code === "optional";
  const described = [name === "cvv" && "cvv-hint", name === "number" && "brand", problem && `${name}-error`];
  return (
    <div class={`field field-${name}`}>
      <label for={name}>{isOptional ? texts.optional(texts.labels[name]) : texts.labels[name]}</label>
      <Control name={name} view={view}>
        <input
          {...SETTINGS[name]}
          id={name}
          type="text"
          value={view.fields[name]}
          placeholder={texts.placeholders[name]}
          readOnly={busy}
          spellcheck={false}
          autocorrect="off"
          enterkeyhint={last ? "go" : "next"}
          aria-required={isOptional ? undefined : "true"}
          aria-invalid={problem ? "true" : undefined}
          aria-describedby={described.filter(Boolean).join(" ") || undefined}
          onInput={(event) => take(store, name, event)}
          onBlur={() => store.blur(name)}
        />
      </Control>
      {problem && (
        <p class="error" id={`${name}-error`}>
          <AlertIcon />
          <span>{texts.problems[problem]}</span>
        </p>
      )}
    </div>
  );
}

/** Formats the digits while typing and keeps the caret in place. */
function take(store: CheckoutStore, name: FieldName, event: JSX.TargetedInputEvent<HTMLInputElement>): void {
  const input = event.currentTarget;
  const direction = event.inputType === "deleteContentForward" ? "forward" : "backward";
  const { value, caret } = store.change(name, input.value, input.selectionStart ?? undefined, direction);
  if (input.value === value) return;
  input.value = value;
  // Safari focuses a field when its selection is set.
  if (document.activeElement === input) input.setSelectionRange(caret, caret);
}

function Control({ name, view, children }: { name: TypedField; view: CheckoutView; children: ComponentChildren }) {
  switch (name) {
    case "number":
      return <NumberControl view={view}>{children}</NumberControl>;
    case "cvv":
      return <CodeControl view={view}>{children}</CodeControl>;
    default:
      return <span class="control">{children}</span>;
  }
}

/** Shows the brand once the first digits identify it, and all accepted brands before. */
function NumberControl({ view, children }: { view: CheckoutView; children: ComponentChildren }) {
  const empty = view.fields.number === "";
  return (
    <span class={`control ${empty ? "with-marks" : "with-mark"}`}>
      {children}
      <span class="end">
        {empty ? (
          CARD_BRANDS.map((brand) => <CardMark key={brand} brand={brand} />)
        ) : (
          <CardMark key={view.brand} brand={isMarked(view.brand) ? view.brand : null} />
        )}
      </span>
      <span class="sr-only" id="brand">
        {view.brand && textsOf(view.locale).brand(NAMES[view.brand])}
      </span>
    </span>
  );
}

/**
 * The picture beside the code is a button that explains where to find the code. Tab passes through it, and
 * arriving by Tab shows the explanation without a press.
 */
function CodeControl({ view, children }: { view: CheckoutView; children: ComponentChildren }) {
  const [isExplained, setExplained] = useState(false);
  const { hints } = textsOf(view.locale);
  const onFront = view.brand === "amex";
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only listens to keys of the field inside */}
      <span
        role="presentation"
        class="control with-mark"
        onKeyUp={(event) => event.key === "Tab" && setExplained(true)}
      >
        {children}
        <button
          type="button"
          class="end code-help"
          tabIndex={-1}
          aria-expanded={isExplained}
          aria-controls="cvv-hint"
          aria-label={hints.cvvHelp}
          title={hints.cvvHelp}
          onClick={() => setExplained(!isExplained)}
        >
          <CodePicture onFront={onFront} />
        </button>
      </span>
      <p class={isExplained ? "hint" : "sr-only"} id="cvv-hint">
        {onFront ? hints.cvvFour : hints.cvvThree}
      </p>
    </>
  );
}

/** Brand names are the same in every language. */
const NAMES: Record<CardBrandName, string> = {
  ...BRAND_NAMES,
  diners: "Diners Club",
  jcb: "JCB",
  unionpay: "UnionPay",
  maestro: "Maestro",
  mir: "Mir",
  elo: "Elo",
  hiper: "Hiper",
  hipercard: "Hipercard",
  troy: "Troy",
  verve: "Verve",
  naranja: "Naranja",
};
