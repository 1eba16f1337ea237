/** @jsxImportSource preact */
import type { CheckoutStore } from "@/lib/client/hosted/checkout-store";
import type { CheckoutView } from "@/lib/client/hosted/checkout-view";
import { moneyText } from "@/lib/client/hosted/money-text";
import { textsOf } from "@/lib/client/hosted/texts";
import { Field } from "./field";
import { LockIcon, Spinner } from "./icons";
import { Notice } from "./notice";

type CardFormProps = {
  view: CheckoutView;
  store: CheckoutStore;
  /** False until the script runs: until then the button does nothing, and must not submit the form by itself. */
  live: boolean;
  onSubmit: () => void;
};

/** The fields, what went wrong the last time, and the button. */
export function CardForm({ view, store, live, onSubmit }: CardFormProps) {
  const { locale, shown, phase, page } = view;
  const busy = phase !== "form";
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
        {shown.map((name, at) => (
          <Field key={name} name={name} view={view} store={store} last={at === shown.length - 1} busy={busy} />
        ))}
      </div>
      <Notice view={view} />
      {view.button && (
        <button
          type="submit"
          class="button pay"
          disabled={!live}
          aria-disabled={busy}
          // The field that is left would say what is wrong with it, and the button move away before it is let go: no click.
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

function buttonText({ page, phase, locale }: CheckoutView): string {
  const { button, checking } = textsOf(locale);
  const pays = page.mode === "payment";
  if (phase === "checking") return checking.title;
  if (phase !== "form") return pays ? button.paying : button.saving;
  return pays ? button.pay(moneyText(page.amount, page.currency, locale)) : button.save;
}
