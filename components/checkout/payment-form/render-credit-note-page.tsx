/** @jsxImportSource preact */
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { type CreditNote, creditNoteTexts } from "@/lib/contract/invoices/credit-notes";
import { invoiceTexts } from "@/lib/contract/invoices/texts";
import { receiptFormats, receiptTexts } from "@/lib/contract/receipts/texts";
import { Contact, PRINTS, Row, SheetHead, TaxRows } from "./receipt-parts";
import { renderDocument, renderMessagePage, type Stylesheet } from "./render-document";

type Shown = {
  nonce: string;
  stylesheet: Stylesheet;
  /** Null shows that there is none, in the visitor's language. */
  note: CreditNote | null;
  locale: CheckoutLocale;
  /** Path of the document whose payment was refunded. */
  back: string;
};

/** A credit note or refund receipt to read and print. Its only script opens the browser's print dialog. */
export function creditNotePage({ note, locale, back, nonce, stylesheet }: Shown): string {
  if (note === null) return renderMessagePage({ ...creditNoteTexts(locale).notFound, locale, nonce, stylesheet });
  return renderDocument({
    title: `${titleOf(note)} ${note.number} · ${note.shop.merchant_name}`,
    locale: note.locale,
    appearance: note.shop.appearance,
    nonce,
    stylesheet,
    layout: "receipt",
    inlineScript: PRINTS,
    body: <Paper note={note} back={back} />,
  });
}

function titleOf({ locale, of }: CreditNote): string {
  const texts = creditNoteTexts(locale);
  return of.kind === "invoice" ? texts.creditNote : texts.refundReceipt;
}

function Paper({ note, back }: { note: CreditNote; back: string }) {
  const { shop, locale, of, tax, currency } = note;
  const texts = creditNoteTexts(locale);
  const receipt = receiptTexts(locale);
  const formats = receiptFormats(locale, note.time_zone);
  const day = formats.day(new Date(note.issued_at));
  const card = note.card ? formats.card(note.card) : null;
  return (
    <div class="receipt-sheet">
      <main aria-labelledby="title">
        <SheetHead shop={shop} test={receipt.test} locale={locale} />
        <h1 id="title">
          {titleOf(note)} <span class="figures">{note.number}</span>
        </h1>
        <p class={note.voided_at ? "receipt-sum void" : "receipt-sum"}>
          <span class="figures">{formats.money(note.amount, currency)}</span>
        </p>
        <p class="soft">
          {note.voided_at
            ? texts.void(formats.day(new Date(note.voided_at)))
            : card
              ? texts.refundedTo(day, card)
              : receipt.refundedOn(day)}
        </p>
        <dl class="rows">
          <Row label={of.kind === "invoice" ? texts.rows.invoice : texts.rows.receipt}>
            <a href={back}>{of.number}</a>
          </Row>
          {note.customer_email && <Row label={invoiceTexts(locale).rows.billedTo}>{note.customer_email}</Row>}
          <Row label={texts.rows.date}>
            <time dateTime={note.issued_at}>{day}</time>
          </Row>
        </dl>
        <h2>{receipt.amounts}</h2>
        <dl class="rows receipt-amounts">
          <TaxRows tax={tax} money={(amount) => formats.money(amount, currency)} locale={locale} />
          <Row label={texts.rows.total}>
            <strong>{formats.money(note.amount, currency)}</strong>
          </Row>
        </dl>
        <Contact shop={shop} locale={locale} />
        <button type="button" id="print" class="button">
          {receipt.print}
        </button>
      </main>
      <footer class="soft">{receipt.poweredBy}</footer>
    </div>
  );
}
