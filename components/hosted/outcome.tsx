/** @jsxImportSource preact */
import { useEffect } from "preact/hooks";
import type { CheckoutView } from "@/lib/client/hosted/checkout-view";
import { moneyText } from "@/lib/client/hosted/money-text";
import { textsOf } from "@/lib/client/hosted/texts";
import { CheckIcon, ClockIcon, CrossIcon, Spinner } from "./icons";
import { Notice } from "./notice";

const REDIRECT_MS = 3_000;

type OutcomeProps = { view: CheckoutView; embedded: boolean };

/** A payment whose outcome nobody knows yet. */
export function Waiting({ view }: { view: CheckoutView }) {
  const texts = textsOf(view.locale).processing;
  return (
    <section class="outcome" aria-labelledby="step">
      <span class="badge">
        <Spinner size={24} />
      </span>
      <h2 id="step" tabIndex={-1}>
        {texts.title}
      </h2>
      <p class="soft">{texts.text}</p>
      <Notice view={view} />
    </section>
  );
}

export function Done({ view, embedded }: OutcomeProps) {
  const { page, locale, result, state } = view;
  const texts = textsOf(locale).done;
  const paid = page.mode === "payment";
  const back = webAddress(result?.return_url ?? state.return_url);
  const reference = result?.payment_id ?? state.payment?.id;
  useEffect(() => {
    // Inside a shop's page, the shop decides what comes next.
    if (embedded || !back) return;
    const timer = setTimeout(() => location.assign(back), REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [embedded, back]);
  return (
    <section class="outcome" aria-labelledby="step">
      <span class="badge good">
        <CheckIcon />
      </span>
      <h2 id="step" tabIndex={-1}>
        {paid ? texts.title : texts.savedTitle}
      </h2>
      <p class="soft">
        {paid
          ? texts.text(moneyText(page.amount, page.currency, locale), page.merchant_name)
          : texts.savedText(page.merchant_name)}
      </p>
      {paid && reference && (
        <p class="reference">
          {texts.reference} <bdi class="figures">{reference}</bdi>
        </p>
      )}
      {back && <BackLink href={back} view={view} />}
      {back && !embedded && <p class="soft returning">{texts.returning(page.merchant_name)}</p>}
    </section>
  );
}

export function Closed({ view }: { view: CheckoutView }) {
  const reason = view.closed ?? "expired";
  const { title, text } = textsOf(view.locale).closed[reason];
  const back = webAddress(view.state.return_url);
  return (
    <section class="outcome" aria-labelledby="step">
      <span class="badge">{reason === "expired" ? <ClockIcon /> : <CrossIcon />}</span>
      <h2 id="step" tabIndex={-1}>
        {title}
      </h2>
      <p class="soft">{text}</p>
      {back && <BackLink href={back} view={view} />}
    </section>
  );
}

function BackLink({ href, view }: { href: string; view: CheckoutView }) {
  return (
    <a class="button" href={href} target="_top">
      {textsOf(view.locale).backTo(view.page.merchant_name)}
    </a>
  );
}

/** The merchant's address to go back to, if it is one of the web: nothing else may become a link. */
function webAddress(address: string | null): string | null {
  return address && /^https?:\/\//i.test(address) ? address : null;
}
