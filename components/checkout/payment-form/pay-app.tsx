/** @jsxImportSource preact */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { CheckoutStore } from "@/lib/client/checkout/payment-form/checkout-store";
import { type CheckoutView, deedOf, type FieldName } from "@/lib/client/checkout/payment-form/checkout-view";
import { directionOf, textsOf } from "@/lib/client/checkout/payment-form/texts";
import type { CheckoutLocale, CheckoutOffer, CheckoutSale } from "@/lib/contract/checkout/checkout";
import { moneyText } from "@/lib/contract/checkout/localized";
import { scheduleText } from "@/lib/contract/checkout/terms";
import { applyAppearance } from "./appearance-style";
import { CardForm } from "./card-form";
import { CardlaneMark, Logo } from "./icons";
import { ChallengeFrame, Closed, Done, Waiting } from "./outcome";

type PayAppProps = { store: CheckoutStore; embedded: boolean; preview: boolean };

/** The payment form, embedded in a shop's page or standalone. */
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
    // Fields are validated before submit, so their errors are already known.
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
      {/* A shop's page may have another main or aside; the name distinguishes them. */}
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

/** Status for screen readers. Declines are announced by their alert, and field errors by the field. */
function statusText(view: CheckoutView, problemsFound: number): string {
  const { phase, locale } = view;
  const pays = deedOf(view) === "pay";
  const { status, button, ...texts } = textsOf(locale);
  switch (phase) {
    case "form":
      return problemsFound > 0 ? texts.problemsFound(problemsFound) : "";
    case "closed":
      return "";
    case "submitting":
      return pays ? status.submitting : button.saving;
    case "done":
      return pays ? status.done : "";
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

/** Characters; a longer amount doesn't fit on one line at full size. */
const LONG_TOTAL = 13;

type SummaryProps = { view: { page: CheckoutSale; offer: CheckoutOffer; locale: CheckoutLocale }; embedded: boolean };

/** Merchant, item and amount: beside the form when standalone, above it when embedded. */
export function Summary({ view, embedded }: SummaryProps) {
  const { page, offer, locale } = view;
  const texts = textsOf(locale);
  const total = offer.amount === null ? texts.saveCard : moneyText(offer.amount, page.currency, locale);
  // A page may have only one banner landmark, and the shop's page has its own.
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
          {embedded && <Bought page={page} offer={offer} locale={locale} className="soft" />}
        </div>
      </div>
      <p class={total.length > LONG_TOTAL ? "total long" : "total"}>
        {offer.amount !== null && <span class="soft">{offer.terms ? texts.dueToday : texts.total} </span>}
        <span class={offer.amount === null ? undefined : "figures"}>{total}</span>
      </p>
      {!embedded && <Bought page={page} offer={offer} locale={locale} className="plan soft" />}
    </Box>
  );
}

type BoughtProps = { page: CheckoutSale; offer: CheckoutOffer; locale: CheckoutLocale; className: string };

/** The item, its charges and how to cancel. */
function Bought({ page, offer, locale, className }: BoughtProps) {
  const schedule = scheduleText(offer, page.currency, locale);
  const words = [
    page.plan_name,
    page.description,
    schedule,
    schedule && textsOf(locale).cancelAnyTime(page.merchant_name),
  ];
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

/** The first letter or digit of a name, which may take two code units. */
function initialOf(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? "").toLocaleUpperCase();
}

/** The store's current view; re-renders on every change. */
function useCheckout(store: CheckoutStore): CheckoutView {
  const [view, setView] = useState(() => store.view());
  useLayoutEffect(() => {
    const take = () => setView(store.view());
    take();
    return store.subscribe(take);
  }, [store]);
  return view;
}

/** Restyles the page when the shop or the system changes the appearance. */
function useAppearance({ appearance, page }: CheckoutView): void {
  const paintedRef = useRef(page.appearance);
  useLayoutEffect(() => {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const paint = () => applyAppearance(appearance, root, system.matches);
    // The server's style sheet follows the system on its own.
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
 * Moves focus when the step changes: to the new heading, or back to the field to correct. Focus stays put on
 * page load, and while the shopper is elsewhere on the shop's page.
 */
function usePhaseFocus(view: CheckoutView, embedded: boolean): void {
  const phaseRef = useRef(view.phase);
  useLayoutEffect(() => {
    const from = phaseRef.current;
    if (from === view.phase) return;
    phaseRef.current = view.phase;
    // Keep the focus until there is a response.
    if (view.phase === "submitting" || view.phase === "checking") return;
    if (embedded && from === "form" && !document.hasFocus()) return;
    if (view.phase !== "form") return document.getElementById("step")?.focus();
    if (!focusFirstProblem(view)) document.getElementById(fieldToFix(view))?.focus();
  });
}

/** The field to focus after a decline: the card number, unless one field alone was wrong. */
function fieldToFix({ notice }: CheckoutView): FieldName {
  if (notice === "incorrect_cvv") return "cvv";
  return notice === "expired_card" ? "expiry" : "number";
}

/** Returns false if there was no problem. */
export function focusFirstProblem({ shown, errors, phase }: CheckoutView): boolean {
  const first = phase === "form" && shown.find((name) => errors[name]);
  if (first) document.getElementById(first)?.focus();
  return Boolean(first);
}
