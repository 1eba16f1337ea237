/** @jsxImportSource preact */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { CheckoutStore } from "@/lib/client/hosted/checkout-store";
import type { CheckoutView, FieldName } from "@/lib/client/hosted/checkout-view";
import { textsOf } from "@/lib/client/hosted/texts";
import { BRAND_NAMES } from "./brand-names";
import { CardMark, CodePicture, isMarked, MARKED_BRANDS } from "./card-marks";
import { AlertIcon } from "./icons";

type InputSettings = Pick<
  JSX.IntrinsicElements["input"],
  "autocomplete" | "inputMode" | "autocapitalize" | "dir" | "class"
>;

const DIGITS = { inputMode: "numeric", dir: "ltr", class: "digits" } as const;

/**
 * No field has a `name`: should the browser ever submit the form by itself, before the script runs for instance, no card
 * number could get into an address. Browsers fill the fields in by `autocomplete`.
 */
const SETTINGS: Record<FieldName, InputSettings> = {
  number: { ...DIGITS, autocomplete: "cc-number" },
  expiry: { ...DIGITS, autocomplete: "cc-exp" },
  cvv: { ...DIGITS, autocomplete: "cc-csc" },
  name: { autocomplete: "cc-name", autocapitalize: "words" },
  postal_code: { autocomplete: "postal-code", autocapitalize: "characters" },
};

type FieldProps = { name: FieldName; view: CheckoutView; store: CheckoutStore; last: boolean; busy: boolean };

/** One input with its label above and, when something is wrong with it, what to do about it beneath. */
export function Field({ name, view, store, last, busy }: FieldProps) {
  const texts = textsOf(view.locale);
  const problem = view.errors[name];
  const described = [name === "cvv" && "cvv-hint", name === "number" && "brand", problem && `${name}-error`];
  return (
    <div class={`field field-${name}`}>
      <label for={name}>{texts.labels[name]}</label>
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
          aria-required="true"
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

/** Writes the digits in groups at once, and leaves the caret where the shopper put it. */
function take(store: CheckoutStore, name: FieldName, event: JSX.TargetedInputEvent<HTMLInputElement>): void {
  const input = event.currentTarget;
  const direction = event.inputType === "deleteContentForward" ? "forward" : "backward";
  const { value, caret } = store.change(name, input.value, input.selectionStart ?? undefined, direction);
  if (input.value === value) return;
  input.value = value;
  // Safari gives the focus to a field whose selection is set.
  if (document.activeElement === input) input.setSelectionRange(caret, caret);
}

function Control({ name, view, children }: { name: FieldName; view: CheckoutView; children: ComponentChildren }) {
  switch (name) {
    case "number":
      return <NumberControl view={view}>{children}</NumberControl>;
    case "cvv":
      return <CodeControl view={view}>{children}</CodeControl>;
    default:
      return <span class="control">{children}</span>;
  }
}

/** The brand appears as its first digits are typed; before that, all that are accepted. */
function NumberControl({ view, children }: { view: CheckoutView; children: ComponentChildren }) {
  const empty = view.fields.number === "";
  return (
    <span class={`control ${empty ? "with-marks" : "with-mark"}`}>
      {children}
      <span class="end">
        {empty ? (
          MARKED_BRANDS.map((brand) => <CardMark key={brand} brand={brand} />)
        ) : (
          <CardMark key={view.brand} brand={isMarked(view.brand) ? view.brand : null} />
        )}
      </span>
      <span class="sr-only" id="brand">
        {view.brand && textsOf(view.locale).brand(BRAND_NAMES[view.brand])}
      </span>
    </span>
  );
}

/** The picture beside the code is a button: it tells where on the card the code is. */
function CodeControl({ view, children }: { view: CheckoutView; children: ComponentChildren }) {
  const [told, setTold] = useState(false);
  const { hints } = textsOf(view.locale);
  const onFront = view.brand === "amex";
  return (
    <>
      <span class="control with-mark">
        {children}
        <button
          type="button"
          class="end code-help"
          aria-expanded={told}
          aria-controls="cvv-hint"
          aria-label={hints.cvvHelp}
          title={hints.cvvHelp}
          onClick={() => setTold(!told)}
        >
          <CodePicture onFront={onFront} />
        </button>
      </span>
      <p class={told ? "hint" : "sr-only"} id="cvv-hint">
        {onFront ? hints.cvvFour : hints.cvvThree}
      </p>
    </>
  );
}
