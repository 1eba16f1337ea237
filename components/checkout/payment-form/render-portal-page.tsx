/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { textsOf } from "@/lib/client/checkout/payment-form/texts";
import type { CheckoutLocale, LinkProblem } from "@/lib/contract/checkout/checkout";
import { moneyText } from "@/lib/contract/checkout/localized";
import type { Shop } from "@/lib/contract/checkout/shop";
import { creditNoteTexts } from "@/lib/contract/invoices/credit-notes";
import { invoiceTexts } from "@/lib/contract/invoices/texts";
import {
  type PortalCard,
  type PortalInvoice,
  type PortalNotice,
  type PortalPage,
  type PortalPaths,
  type PortalSubscription,
  portalPaths,
} from "@/lib/contract/portal/portal-page";
import { portalTexts } from "@/lib/contract/portal/texts";
import { receiptFormats, receiptTexts } from "@/lib/contract/receipts/texts";
import { AlertIcon, CheckIcon } from "./icons";
import { priceLine, stateTexts } from "./portal-sentences";
import { Contact, Row, SheetHead } from "./receipt-parts";
import { renderDocument, renderMessagePage, type Stylesheet } from "./render-document";
import { renderLinkProblem } from "./render-link-page";

type Parts = { nonce: string; stylesheet: Stylesheet };

/** Content of the portal page, as built by `lib/http/portal-page.ts`. */
type Found =
  | { kind: "page"; page: PortalPage; locale: CheckoutLocale }
  | { kind: "cancel"; page: PortalPage; subscription: PortalSubscription; locale: CheckoutLocale }
  | { kind: "expired"; shop: Shop; locale: CheckoutLocale }
  | { kind: "not_found"; locale: CheckoutLocale }
  | { kind: "refused"; problem: LinkProblem; locale: CheckoutLocale };

export function renderPortal({ found, token, ...given }: Parts & { found: Found; token: string }): string {
  const { locale } = found;
  const parts = { ...given, locale };
  const paths = portalPaths(token);
  switch (found.kind) {
    case "page":
      return renderPortalPage({ page: found.page, paths, ...parts });
    case "cancel":
      return renderCancelPage({ page: found.page, subscription: found.subscription, paths, ...parts });
    case "expired":
      return renderMessagePage({ ...portalTexts(locale).expired(found.shop.merchant_name), ...parts });
    case "not_found":
      return renderMessagePage({ ...portalTexts(locale).notFound, ...parts });
    case "refused":
      return renderLinkProblem({ problem: found.problem, paidSale: null, ...parts });
    default:
      return found satisfies never;
  }
}

type PageParts = { nonce: string; stylesheet: Stylesheet; locale: CheckoutLocale };
type Shown = { page: PortalPage; paths: PortalPaths };

/**
 * The tab keeps the page's address for the way back from the payment form, whose own address must not hold
 * it.
 */
const KEEP = 'try { sessionStorage.setItem("cardlane-portal", location.pathname) } catch {}';
const GO_BACK = `let page = null;
try { page = sessionStorage.getItem("cardlane-portal") } catch {}
if (/^\\/portal\\/prt_[\\w-]{43}$/.test(page ?? "")) location.replace(page + location.search);
else document.getElementById("text").textContent = document.getElementById("text").dataset.lost;`;

/** A customer's subscriptions and invoices. Its only script remembers the address for the way back. */
function renderPortalPage({ page, paths, locale, ...parts }: PageParts & Shown): string {
  const texts = portalTexts(locale);
  const { shop } = page;
  return renderSheet({
    ...parts,
    shop,
    locale,
    title: texts.title(shop.merchant_name),
    inlineScript: KEEP,
    children: (
      <>
        {page.notice && <Notice notice={page.notice} locale={locale} />}
        {page.suspended && (
          <p class="notice">
            <AlertIcon />
            {invoiceTexts(locale).unavailable(shop.merchant_name)}
          </p>
        )}
        <section class="portal-part" aria-labelledby="subscriptions">
          <h2 id="subscriptions">{texts.subscriptions}</h2>
          {page.subscriptions.length === 0 && <p class="soft">{texts.noSubscriptions(shop.merchant_name)}</p>}
          {page.subscriptions.map((subscription) => (
            <Subscription key={subscription.id} subscription={subscription} paths={paths} locale={locale} />
          ))}
        </section>
        {page.invoices && <Invoices invoices={page.invoices} paths={paths} locale={locale} />}
        <Contact shop={shop} locale={locale} />
        {page.return_url && (
          <a class="button quiet" href={page.return_url} rel="noreferrer">
            {textsOf(locale).backTo(shop.merchant_name)}
          </a>
        )}
      </>
    ),
  });
}

/** Confirms a cancellation, with its consequences. */
function renderCancelPage({
  page,
  paths,
  subscription,
  locale,
  ...parts
}: PageParts & Shown & { subscription: PortalSubscription }): string {
  const texts = portalTexts(locale).cancelPage;
  return renderSheet({
    ...parts,
    shop: page.shop,
    locale,
    title: texts.title(subscription.plan_name),
    children: (
      <>
        <p>{keepsText(subscription, locale)}</p>
        <p class="soft">{texts.undo}</p>
        <Action action={paths.cancel} name="subscription" value={subscription.id} text={texts.confirm} />
        <a class="button quiet" href={paths.page}>
          {texts.goBack}
        </a>
      </>
    ),
  });
}

/** The page to which the payment form returns: it leads on to the address that the tab remembers. */
export function renderPortalBack({ locale, nonce, stylesheet }: PageParts): string {
  const { title, text, lost } = portalTexts(locale).back;
  return renderDocument({
    title,
    locale,
    nonce,
    stylesheet,
    appearance: { theme: "system" },
    layout: "centred",
    inlineScript: GO_BACK,
    body: (
      <main class="outcome message">
        <h1>{title}</h1>
        <p class="soft" id="text" data-lost={lost} role="status">
          {text}
        </p>
        <noscript>
          <p class="soft">{lost}</p>
        </noscript>
      </main>
    ),
  });
}

type Sheet = PageParts & { shop: Shop; title: string; inlineScript?: string; children: ComponentChildren };

function renderSheet({ shop, title, inlineScript, locale, nonce, stylesheet, children }: Sheet): string {
  return renderDocument({
    title: `${title} · ${shop.merchant_name}`,
    locale,
    appearance: shop.appearance,
    nonce,
    stylesheet,
    layout: "receipt",
    // The forms must show that they come from our own page.
    referrer: "same-origin",
    inlineScript,
    body: (
      <div class="receipt-sheet portal">
        <main aria-labelledby="title">
          <SheetHead shop={shop} test={textsOf(locale).sandbox.banner} />
          <h1 id="title">{title}</h1>
          {children}
        </main>
        <footer class="soft">{receiptTexts(locale).poweredBy}</footer>
      </div>
    ),
  });
}

type ActionForm = { action: string; name: string; value: string; text: string; quiet?: boolean; label?: string };

const Action = ({ action, name, value, text, quiet = false, label }: ActionForm) => (
  <form method="post" action={action}>
    <input type="hidden" name={name} value={value} />
    <button type="submit" class={quiet ? "button quiet" : "button"} aria-label={label}>
      {text}
    </button>
  </form>
);

type OfSubscription = { subscription: PortalSubscription; paths: PortalPaths; locale: CheckoutLocale };

function Subscription({ subscription, paths, locale }: OfSubscription) {
  const { id, status, plan_name, card, actions } = subscription;
  const texts = portalTexts(locale);
  const label = (text: string) => `${text}: ${plan_name}`;
  return (
    <article class="portal-card" aria-labelledby={id}>
      <header>
        <h3 id={id}>{plan_name}</h3>
        <span class={`portal-status ${status.toLowerCase()}`}>{texts.status[status]}</span>
      </header>
      <p>{priceLine(subscription, locale)}</p>
      {stateTexts(subscription, locale).map((text, index) => (
        <p key={text} class={index === 0 && subscription.owed ? "portal-warning" : "soft"}>
          {text}
        </p>
      ))}
      {card && <p class={card.status === "ACTIVE" ? "soft" : "portal-warning"}>{cardLine(card, locale)}</p>}
      {(actions.card || actions.cancel || actions.continue) && (
        <div class="portal-actions">
          {actions.continue && (
            <Action
              action={paths.continue}
              name="subscription"
              value={id}
              text={texts.continue}
              label={label(texts.continue)}
            />
          )}
          {actions.card && (
            <Action
              action={paths.card}
              name="subscription"
              value={id}
              text={texts.changeCard}
              label={label(texts.changeCard)}
              quiet
            />
          )}
          {actions.cancel && (
            <a
              class="button quiet"
              href={`${paths.cancel}?${new URLSearchParams({ subscription: id })}`}
              aria-label={label(texts.cancel)}
            >
              {texts.cancel}
            </a>
          )}
        </div>
      )}
    </article>
  );
}

/** "Visa •••• 4242, expires 12/40" */
function cardLine({ brand, last4, exp_month, exp_year, status }: PortalCard, locale: CheckoutLocale): string {
  const texts = portalTexts(locale);
  const card = receiptFormats(locale, "UTC").card({ brand, last4 });
  if (status === "REMOVED") return `${card}. ${texts.cardRemoved}`;
  if (status === "EXPIRED") return `${card}. ${texts.cardExpired}`;
  const month = `${String(exp_month).padStart(2, "0")}/${String(exp_year).slice(-2)}`;
  return `${card}, ${texts.cardExpires(month)}`;
}

/** Number of invoices shown initially; older ones are collapsed. */
const FIRST_INVOICES = 12;

type OfInvoices = { invoices: readonly PortalInvoice[]; paths: PortalPaths; locale: CheckoutLocale };

function Invoices({ invoices, paths, locale }: OfInvoices) {
  const texts = portalTexts(locale);
  const older = invoices.slice(FIRST_INVOICES);
  return (
    <section class="portal-part" aria-labelledby="invoices">
      <h2 id="invoices">{texts.invoices}</h2>
      {invoices.length === 0 && <p class="soft">{texts.noInvoices}</p>}
      <InvoiceRows invoices={invoices.slice(0, FIRST_INVOICES)} paths={paths} locale={locale} />
      {older.length > 0 && (
        <details>
          <summary>{texts.olderInvoices}</summary>
          <InvoiceRows invoices={older} paths={paths} locale={locale} />
        </details>
      )}
    </section>
  );
}

function InvoiceRows({ invoices, paths, locale }: OfInvoices) {
  const texts = portalTexts(locale);
  if (invoices.length === 0) return null;
  return (
    <dl class="rows portal-invoices">
      {invoices.map((invoice) => {
        const formats = receiptFormats(locale, invoice.time_zone);
        return (
          <Row
            key={invoice.id}
            label={
              <>
                <a href={invoice.url} aria-label={texts.view(invoice.number)}>
                  {invoice.number}
                </a>
                <span>
                  {formats.day(new Date(invoice.created_at))} · {texts.invoiceStatus[invoice.status]}
                </span>
                {invoice.credit_notes.map(({ number, amount, currency, voided_at }) => (
                  <span key={number}>
                    {creditNoteTexts(locale).creditNote} <a href={`${invoice.url}/credit-note/${number}`}>{number}</a> ·{" "}
                    {voided_at ? creditNoteTexts(locale).isVoid : moneyText(-amount, currency, locale)}
                  </span>
                ))}
              </>
            }
          >
            {moneyText(invoice.amount_due, invoice.currency, locale)}
            {invoice.is_payable && (
              <Action
                action={paths.pay}
                name="invoice"
                value={invoice.id}
                text={texts.pay}
                label={`${texts.pay}: ${invoice.number}`}
              />
            )}
          </Row>
        );
      })}
    </dl>
  );
}

function Notice({ notice, locale }: { notice: PortalNotice; locale: CheckoutLocale }) {
  const isGood = ["cancelled", "continued", "card", "paid"].includes(notice.kind);
  return (
    <p class={isGood ? "notice good" : "notice waiting"} role="status">
      {isGood ? <CheckIcon size={16} /> : <AlertIcon />}
      {noticeText(notice, locale)}
    </p>
  );
}

function noticeText(notice: PortalNotice, locale: CheckoutLocale): string {
  const texts = portalTexts(locale).notices;
  switch (notice.kind) {
    case "cancelled":
      return `${texts.cancelled} ${keepsText(notice.subscription, locale)}`;
    case "continued":
      return [texts.continued(notice.subscription.plan_name), ...stateTexts(notice.subscription, locale)].join(" ");
    case "card":
      return texts.card(receiptFormats(locale, "UTC").card(notice.card));
    case "paid":
      return texts.paid(notice.number);
    case "paying":
    case "changed":
    case "busy":
      return texts[notice.kind];
    default:
      return notice satisfies never;
  }
}

/** Effects of cancelling: until when access lasts, and remaining charges. */
function keepsText(
  { plan_name, period_end_at, time_zone, owed, currency }: PortalSubscription,
  locale: CheckoutLocale,
) {
  const texts = portalTexts(locale).cancelPage;
  const formats = receiptFormats(locale, time_zone);
  const day = formats.day(new Date(period_end_at));
  return owed
    ? texts.keepsButOwes(plan_name, day, moneyText(owed.amount, currency, locale))
    : texts.keeps(plan_name, day);
}
