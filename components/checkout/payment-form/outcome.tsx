/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import { type CheckoutView, deedOf } from "@/lib/client/checkout/payment-form/checkout-view";
import { textsOf } from "@/lib/client/checkout/payment-form/texts";
import { isCharged } from "@/lib/contract/checkout/checkout";
import { moneyText } from "@/lib/contract/checkout/localized";
import { scheduleText } from "@/lib/contract/checkout/terms";
import { applyAppearance } from "./appearance-style";
import { AlertIcon, CheckIcon, ClockIcon, CrossIcon, Spinner } from "./icons";

const REDIRECT_MS = 3_000;

type OutcomeProps = { view: CheckoutView; embedded: boolean };

/** A payment with an unknown outcome. */
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
  const paid = deedOf(view) === "pay";
  const back = webAddress(result?.return_url ?? state.return_url);
  const reference = result?.payment_id ?? state.payment?.id;
  useEffect(() => {
    // An embedded form leaves the next step to the shop.
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
        {doneTitle(view)}
      </h2>
      {doneLines(view).map((line) => (
        <p key={line} class="soft">
          {line}
        </p>
      ))}
      {paid && reference && (
        <p class="reference">
          {texts.reference} <bdi class="figures">{reference}</bdi>
        </p>
      )}
      <ReceiptLink view={view} />
      {back && <BackLink href={back} view={view} />}
      {back && !embedded && <p class="soft returning">{texts.returning(page.merchant_name)}</p>}
    </section>
  );
}

function doneTitle(view: CheckoutView): string {
  const texts = textsOf(view.locale).done;
  const deed = deedOf(view);
  if (deed === "pay") return texts.title;
  if (deed === "trial") return texts.trialTitle;
  return view.page.mode === "setup" ? texts.storedTitle : texts.savedTitle;
}

/** Lines of the success page: the result, the next charge, and how to cancel. */
function doneLines(view: CheckoutView): string[] {
  const { page, offer, locale } = view;
  const { done, cancelAnyTime } = textsOf(locale);
  const deed = deedOf(view);
  if (deed === "save") return [(page.mode === "setup" ? done.storedText : done.savedText)(page.merchant_name)];
  const paid = deed === "pay" && done.text(moneyText(offer.amount ?? 0, page.currency, locale), page.merchant_name);
  const schedule = scheduleText(offer, page.currency, locale);
  return [paid, schedule, schedule && cancelAnyTime(page.merchant_name)].filter((line) => typeof line === "string");
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
      <ReceiptLink view={view} />
      {back && <BackLink href={back} view={view} />}
    </section>
  );
}

/** Opens beside the shop's page, which the shopper may still need. */
function ReceiptLink({ view: { page, state, locale } }: { view: CheckoutView }) {
  if (page.receipt === null || !isCharged(state)) return null;
  return (
    <p class="reference">
      <a href={page.receipt} target="_blank" rel="noopener">
        {textsOf(locale).done.receipt}
      </a>
    </p>
  );
}

function BackLink({ href, view }: { href: string; view: CheckoutView }) {
  return (
    <a class="button" href={href} target="_top">
      {textsOf(view.locale).backTo(view.page.merchant_name)}
    </a>
  );
}

/** The merchant's return address if it is http(s); nothing else may become a link. */
function webAddress(address: string | null): string | null {
  return address && /^https?:\/\//i.test(address) ? address : null;
}

const SMALLEST_HEIGHT = 200;

/** The issuer's challenge inside the form, or in the whole window if its page can't be framed. */
export function ChallengeFrame({ url, view }: { url: string; view: CheckoutView }) {
  const texts = textsOf(view.locale).challenge;
  const [stage, setStage] = useState<"waiting" | "loading" | "shown" | "blocked">(
    // Processors' pages may not be framed: a bank's page must show its own address.
    isOwnPage(url) ? "waiting" : "blocked",
  );
  // Rendered only after this effect, so that a fast frame can't load before the listener exists.
  useEffect(() => setStage((now) => (now === "waiting" ? "loading" : now)), []);
  const frame = useRef<HTMLIFrameElement>(null);
  const onLoad = () => setStage(frame.current && fitToContent(frame.current, view) ? "shown" : "blocked");
  return (
    <section class="issuer-frame" aria-labelledby="step">
      <div class={stage === "blocked" ? "" : "sr-only"}>
        <h2 id="step" tabIndex={-1}>
          {texts.title}
        </h2>
        <p class="soft">{stage === "blocked" ? texts.blocked : texts.text}</p>
      </div>
      {stage === "blocked" ? (
        <a class="button" href={url} target="_blank" rel="noopener">
          {texts.openInWindow}
        </a>
      ) : (
        <div class="loading">
          {stage !== "shown" && <Spinner size={24} />}
          {stage !== "waiting" && <iframe ref={frame} src={url} title={texts.frameTitle} onLoad={onLoad} />}
        </div>
      )}
      <Notice view={view} />
    </section>
  );
}

const isOwnPage = (url: string): boolean => url.startsWith("/");

/**
 * Gives the frame its content's height and the form's colors. Returns false if the page is out of reach: it
 * is our own, so the browser has replaced it with an error page.
 */
function fitToContent(frame: HTMLIFrameElement, view: CheckoutView): boolean {
  const inside = frame.contentDocument;
  if (!inside?.body) return false;
  applyAppearance(view.appearance, inside.documentElement, matchMedia("(prefers-color-scheme: dark)").matches);
  frame.style.height = `${Math.max(SMALLEST_HEIGHT, Math.ceil(inside.body.getBoundingClientRect().height) + 2)}px`;
  return true;
}

/**
 * Result of the last attempt or of the connection. Always rendered, so that screen readers announce changes.
 * It keeps its height during the next attempt, so that nothing below it moves.
 */
export function Notice({ view }: { view: CheckoutView }) {
  const { state, notice, phase, locale } = view;
  const texts = textsOf(locale);
  const [last, setLast] = useState(notice);
  if (last !== notice && phase !== "submitting") setLast(notice);
  const shown = phase === "submitting" ? (notice ?? last) : notice;
  const kind = !notice ? "room" : phase === "checking" ? "waiting" : "said";
  return (
    <div role="alert">
      {shown && (
        // A new element makes screen readers announce the text again.
        <div key={kind} class={`notice ${kind}`}>
          {phase === "checking" ? <Spinner /> : <AlertIcon />}
          <div>
            <p>{texts.notices[shown]}</p>
            {shown === state.failure && state.attempts_left > 0 && (
              <p class="attempts">{texts.attemptsLeft(state.attempts_left)}</p>
            )}
          </div>
        </div>
      )}
    </div>
  );
}
