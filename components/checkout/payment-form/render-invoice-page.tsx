/** @jsxImportSource preact */
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { creditNoteTexts } from "@/lib/contract/invoices/credit-notes";
import type { HostedInvoice } from "@/lib/contract/invoices/hosted";
import { invoiceTexts } from "@/lib/contract/invoices/texts";
import { receiptFormats, receiptTexts } from "@/lib/contract/receipts/texts";
import { AlertIcon } from "./icons";
import { Contact, PRINTS, Row, SheetHead, TaxRows } from "./receipt-parts";
import { renderDocument, renderMessagePage, type Stylesheet } from "./render-document";

type PageParts = { nonce: string; stylesheet: Stylesheet; locale: CheckoutLocale };
type InvoicePage = {
  invoice: HostedInvoice;
  /** Address that opens the payment form; null if there is none. */
  action: string | null;
  /** The page's own. */
  path: string;
};

/** An invoice to read, print and pay. Its only script opens the browser's print dialog. */
export function renderInvoicePage({
  invoice,
  action,
  path,
  nonce,
  stylesheet,
}: Omit<PageParts, "locale"> & InvoicePage): string {
  const { locale } = invoice;
  const texts = invoiceTexts(locale);
  return renderDocument({
    title: `${texts.invoice} ${invoice.number} · ${invoice.shop.merchant_name}`,
    locale,
    appearance: invoice.shop.appearance,
    nonce,
    stylesheet,
    layout: "receipt",
    // The form must show that it comes from our own page.
    ...(action !== null && { referrer: "same-origin" as const }),
    inlineScript: PRINTS,
    body: <InvoicePaper invoice={invoice} action={action} path={path} />,
  });
}

/** Not-found page for an invoice. */
export const renderNoInvoice = (parts: PageParts): string =>
  renderMessagePage({ ...invoiceTexts(parts.locale).notFound, ...parts });

type Localized = { invoice: HostedInvoice; locale: CheckoutLocale };

function InvoicePaper({ invoice, action, path }: InvoicePage) {
  const { shop, currency, locale } = invoice;
  const texts = invoiceTexts(locale);
  const formats = receiptFormats(locale, invoice.time_zone);
  const due = formats.money(invoice.amount_due, currency);
  return (
    <div class="receipt-sheet">
      <main aria-labelledby="title">
        <SheetHead shop={shop} test={texts.test} locale={locale} />
        <h1 id="title">
          {texts.invoice} <span class="figures">{invoice.number}</span>
        </h1>
        <p class="receipt-sum">
          <span class="figures">{due}</span>
        </p>
        <p class="soft">{statusText({ invoice, locale })}</p>
        <Notice invoice={invoice} locale={locale} />
        {action !== null && (
          <form method="post" action={action}>
            <button type="submit" class="button">
              {texts.pay(due)}
            </button>
          </form>
        )}
        <dl class="rows">
          {invoice.customer_email && <Row label={texts.rows.billedTo}>{invoice.customer_email}</Row>}
          <Row label={texts.rows.date}>
            <time dateTime={invoice.created_at}>{formats.day(new Date(invoice.created_at))}</time>
          </Row>
        </dl>
        <h2>{texts.items}</h2>
        <Amounts invoice={invoice} locale={locale} />
        {invoice.credit_notes.length > 0 && <CreditNotes invoice={invoice} path={path} />}
        <Contact shop={shop} locale={locale} />
        <button type="button" id="print" class="button quiet">
          {receiptTexts(locale).print}
        </button>
      </main>
      <footer class="soft">{receiptTexts(locale).poweredBy}</footer>
    </div>
  );
}

function statusText({ invoice, locale }: Localized): string {
  const texts = invoiceTexts(locale);
  const formats = receiptFormats(locale, invoice.time_zone);
  switch (invoice.status) {
    case "OPEN":
      return texts.due;
    case "PAID": {
      const day = formats.day(new Date(invoice.paid_at ?? invoice.created_at));
      if (invoice.amount_due === 0) return texts.nothingToPay;
      return invoice.card ? texts.paidWith(day, formats.card(invoice.card)) : texts.paid(day);
    }
    case "VOID":
      return texts.void;
    case "UNCOLLECTIBLE":
      return texts.uncollectible(invoice.shop.merchant_name);
    default:
      return invoice.status satisfies never;
  }
}

/** The next step for an unpaid invoice. */
function Notice({ invoice, locale }: Localized) {
  const { merchant_name: merchant } = invoice.shop;
  const texts = invoiceTexts(locale);
  const formats = receiptFormats(locale, invoice.time_zone);
  const retry = invoice.next_attempt_at && texts.retry(merchant, formats.day(new Date(invoice.next_attempt_at)));
  switch (invoice.payment) {
    case "in_progress":
      return <NoticeText text={texts.inProgress} waits />;
    case "unavailable":
      return <NoticeText text={texts.unavailable(merchant)} />;
    case "payable":
      return invoice.failed ? <NoticeText text={[texts.failed, retry].filter(Boolean).join(" ")} /> : null;
    case "none":
      return null;
    default:
      return invoice.payment satisfies never;
  }
}

const NoticeText = ({ text, waits = false }: { text: string; waits?: boolean }) => (
  <p class={waits ? "notice waiting" : "notice"}>
    <AlertIcon />
    {text}
  </p>
);

function Amounts({ invoice, locale }: Localized) {
  const { rows, range } = invoiceTexts(locale);
  const formats = receiptFormats(locale, invoice.time_zone);
  const money = (amount: number) => formats.money(amount, invoice.currency);
  const day = (at: string) => formats.day(new Date(at));
  return (
    <dl class="rows receipt-amounts">
      {invoice.lines.map((line) => (
        <Row
          key={`${line.type} ${line.description} ${line.start_at}`}
          label={
            <>
              <span class="receipt-item">{line.description}</span>
              <br />
              {line.quantity > 1 && `${line.quantity} × ${money(line.unit_amount)} · `}
              {range(day(line.start_at), day(line.end_at))}
            </>
          }
        >
          {money(line.amount)}
        </Row>
      ))}
      {invoice.total !== 0 && <TaxRows tax={invoice.tax} money={money} locale={locale} />}
      {(invoice.lines.length > 1 || invoice.tax !== null || invoice.credit_used > 0) && (
        <Row label={rows.total}>{money(invoice.total)}</Row>
      )}
      {invoice.credit_used > 0 && <Row label={rows.creditUsed}>{money(-invoice.credit_used)}</Row>}
      {invoice.total < 0 && <Row label={rows.credited}>{money(-invoice.total)}</Row>}
      <Row label={invoice.status === "PAID" ? receiptTexts(locale).paid : rows.due}>
        <strong>{money(invoice.amount_due)}</strong>
      </Row>
    </dl>
  );
}

/** The refunds of an invoice, each with a page of its own. */
function CreditNotes({ invoice, path }: Pick<InvoicePage, "invoice" | "path">) {
  const { locale } = invoice;
  const texts = creditNoteTexts(locale);
  const formats = receiptFormats(locale, invoice.time_zone);
  return (
    <>
      <h2>{texts.creditNotes}</h2>
      <dl class="rows receipt-amounts">
        {invoice.credit_notes.map(({ number, at, amount, currency, voided_at }) => (
          <Row
            key={number}
            label={
              <>
                <a class="figures" href={`${path}/credit-note/${number}`}>
                  {number}
                </a>
                <br />
                {formats.day(new Date(at))}
                {voided_at && ` · ${texts.isVoid}`}
              </>
            }
          >
            {formats.money(voided_at ? 0 : -amount, currency)}
          </Row>
        ))}
      </dl>
    </>
  );
}
