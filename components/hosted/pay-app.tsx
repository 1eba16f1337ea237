/** @jsxImportSource preact */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { CheckoutStore } from "@/lib/client/hosted/checkout-store";
import type { CheckoutView } from "@/lib/client/hosted/checkout-view";
import { directionOf, textsOf } from "@/lib/client/hosted/texts";
import { CardForm } from "./card-form";
import { ChallengeFrame } from "./challenge-frame";
import { CardlaneMark } from "./icons";
import { Closed, Done, Waiting } from "./outcome";
import { Summary } from "./summary";
import { useAppearance } from "./use-appearance";
import { useCheckout } from "./use-checkout";
import { focusFirstProblem, usePhaseFocus } from "./use-phase-focus";

type PayAppProps = { store: CheckoutStore; embedded: boolean; preview: boolean };

/** The payment form, inside a shop's page (`embedded`) or as a page of its own. */
export function PayApp({ store, embedded, preview }: PayAppProps) {
  const view = useCheckout(store);
  const [live, setLive] = useState(false);
  useEffect(() => setLive(true), []);
  useAppearance(view);
  useLanguage(view);
  usePhaseFocus(view, embedded);
  const [found, setFound] = useState(0);
  const submit = () => {
    void store.submit();
    // Fields are checked before anything is sent: what is wrong with them is known already.
    setFound(Object.keys(store.view().errors).length);
    focusFirstProblem(store.view());
  };
  const texts = textsOf(view.locale);
  const ribbon = preview ? texts.preview : texts.sandbox.banner;
  return (
    <div class="layout">
      {(preview || view.page.environment === "sandbox") && (
        <aside class="ribbon" aria-label={embedded ? ribbon : undefined}>
          <strong>{ribbon}</strong>
          {!preview && !embedded && view.phase === "form" && <span class="soft">{texts.sandbox.hint}</span>}
        </aside>
      )}
      <Summary view={view} embedded={embedded} />
      {/* Inside a shop's page there may be another main or aside beside it: a name tells them apart. */}
      <main class="pane" aria-label={embedded ? texts.frameTitle : undefined}>
        <Step view={view} store={store} embedded={embedded} live={live} onSubmit={submit} />
        <p class="sr-only" role="status">
          {live && statusText(view, found)}
        </p>
      </main>
      {!embedded && (
        <footer class="powered">
          <CardlaneMark />
          {texts.securedBy}
        </footer>
      )}
    </div>
  );
}

type StepProps = { view: CheckoutView; store: CheckoutStore; embedded: boolean; live: boolean; onSubmit: () => void };

function Step({ view, store, embedded, live, onSubmit }: StepProps) {
  const { phase, state, locale } = view;
  switch (phase) {
    case "form":
    case "submitting":
    case "checking":
      return (
        <section aria-labelledby="step">
          <h2 id="step" class={embedded ? "sr-only" : "step-title"}>
            {textsOf(locale).cardDetails}
          </h2>
          <CardForm view={view} store={store} live={live} onSubmit={onSubmit} />
        </section>
      );
    case "challenge":
      return state.action ? (
        <ChallengeFrame key={state.action.url} url={state.action.url} view={view} />
      ) : (
        <Waiting view={view} />
      );
    case "processing":
      return <Waiting view={view} />;
    case "done":
      return <Done view={view} embedded={embedded} />;
    case "closed":
      return <Closed view={view} />;
    default:
      return phase satisfies never;
  }
}

/** What a screen reader says as things go on. A decline is said by its alert, and a field's problem by the field. */
function statusText({ phase, locale, page }: CheckoutView, problemsFound: number): string {
  const { status, button, ...texts } = textsOf(locale);
  switch (phase) {
    case "form":
      return problemsFound > 0 ? texts.problemsFound(problemsFound) : "";
    case "closed":
      return "";
    case "submitting":
      return page.mode === "payment" ? status.submitting : button.saving;
    case "done":
      return page.mode === "payment" ? status.done : "";
    default:
      return status[phase];
  }
}

/** The shop's page may change the language at any time. */
function useLanguage({ locale, page }: CheckoutView): void {
  useLayoutEffect(() => {
    const root = document.documentElement;
    root.lang = locale;
    root.dir = directionOf(locale);
    document.title = textsOf(locale).title(page.merchant_name);
  }, [locale, page.merchant_name]);
}
