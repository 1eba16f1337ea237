/** @jsxImportSource preact */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { CheckoutStore } from "@/lib/client/checkout/payment-form/checkout-store";
import type { CheckoutView, FieldName } from "@/lib/client/checkout/payment-form/checkout-view";
import { directionOf, termsText, textsOf, withoutTrialText } from "@/lib/client/checkout/payment-form/texts";
import type { CheckoutLocale, CheckoutSale } from "@/lib/contract/checkout/checkout";
import { moneyText } from "@/lib/contract/checkout/localized";
import { applyAppearance } from "./appearance-style";
import { CardForm } from "./card-form";
import { CardlaneMark, Logo } from "./icons";
import { ChallengeFrame, Closed, Done, Waiting } from "./outcome";

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

/** Signs; an amount with more of them would not fit in a line at its full size. */
const LONG_TOTAL = 13;

type SummaryProps = { view: { page: CheckoutSale; locale: CheckoutLocale }; embedded: boolean };

/** Who is paid, for what, and how much. Beside the form on a page of its own, above it inside a shop's page. */
export function Summary({ view, embedded }: SummaryProps) {
  const { page, locale } = view;
  const texts = textsOf(locale);
  const total = moneyText(page.amount, page.currency, locale);
  // A page has one banner, and a shop's page has its own.
  const Box = embedded ? "div" : "header";
  return (
    <Box class="summary">
      <div class="shop">
        {page.logo && <Logo logo={page.logo} merchant={page.merchant_name} />}
        {!embedded && !page.logo && (
          <span class="monogram" aria-hidden="true">
            {initialOf(page.merchant_name)}
          </span>
        )}
        <div>
          <h1 class="merchant">{page.merchant_name}</h1>
          {embedded && <Bought page={page} locale={locale} className="soft" />}
        </div>
      </div>
      <p class={total.length > LONG_TOTAL ? "total long" : "total"}>
        <span class="soft">{texts.total} </span>
        <span class="figures">{total}</span>
      </p>
      {!embedded && <Bought page={page} locale={locale} className="plan soft" />}
    </Box>
  );
}

type BoughtProps = { page: CheckoutSale; locale: CheckoutLocale; className: string };

/** What is bought, and when it is charged again. */
function Bought({ page, locale, className }: BoughtProps) {
  const words = [page.plan_name, page.description, termsText(page, locale), withoutTrialText(page, locale)];
  const lines = words.filter((line) => line !== null);
  return (
    <>
      {lines.map((line) => (
        <p key={line} class={className}>
          {line}
        </p>
      ))}
    </>
  );
}

/** The first letter or digit as a user sees it: a name may begin with a sign of two code units. */
function initialOf(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? "").toLocaleUpperCase();
}

/** The store's newest view; the component is drawn again with every change. */
function useCheckout(store: CheckoutStore): CheckoutView {
  const [view, setView] = useState(() => store.view());
  useLayoutEffect(() => {
    const take = () => setView(store.view());
    take();
    return store.subscribe(take);
  }, [store]);
  return view;
}

/** Paints the page again when its shop changes the look, and when the system turns dark or light. */
function useAppearance({ appearance, page }: CheckoutView): void {
  const paintedRef = useRef(page.appearance);
  useLayoutEffect(() => {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const paint = () => applyAppearance(appearance, root, system.matches);
    // The server's own style sheet follows the system by itself.
    if (paintedRef.current !== appearance) paint();
    paintedRef.current = appearance;
    const repaint = () => {
      if (root.style.length > 0) paint();
    };
    system.addEventListener("change", repaint);
    return () => system.removeEventListener("change", repaint);
  }, [appearance]);
}

/**
 * Takes the focus along when the step changes: to the heading of a new one, or back to the field that is to be mended.
 * Nothing moves when the page loads, nor while the shopper is elsewhere in the shop's page and the form changes by itself.
 */
function usePhaseFocus(view: CheckoutView, embedded: boolean): void {
  const phaseRef = useRef(view.phase);
  useLayoutEffect(() => {
    const from = phaseRef.current;
    if (from === view.phase) return;
    phaseRef.current = view.phase;
    // The shopper has the focus where it is until the answer is here.
    if (view.phase === "submitting" || view.phase === "checking") return;
    if (embedded && from === "form" && !document.hasFocus()) return;
    if (view.phase !== "form") return document.getElementById("step")?.focus();
    if (!focusFirstProblem(view)) document.getElementById(fieldToMend(view))?.focus();
  });
}

/** Where the shopper goes on after a decline: with another card's number, unless one field alone was wrong. */
function fieldToMend({ notice }: CheckoutView): FieldName {
  if (notice === "incorrect_cvv") return "cvv";
  return notice === "expired_card" ? "expiry" : "number";
}

/** Whether there was one. */
export function focusFirstProblem({ shown, errors, phase }: CheckoutView): boolean {
  const first = phase === "form" && shown.find((name) => errors[name]);
  if (first) document.getElementById(first)?.focus();
  return Boolean(first);
}
