/** @jsxImportSource preact */
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { invoiceTexts } from "@/lib/contract/invoices/texts";
import type { Receipt } from "@/lib/contract/receipts/receipts";
import { receiptFormats, receiptTexts } from "@/lib/contract/receipts/texts";
import { Contact, PRINTS, Row, SheetHead, TaxRows } from "./receipt-parts";
import { renderDocument, renderMessagePage, type Stylesheet } from "./render-document";

type PageParts = { nonce: string; stylesheet: Stylesheet };

type Shown = { receipt: Receipt /** The page's own. */; path: string };

/** A receipt to read and print. Its only script opens the browser's print dialog. */
export function renderReceiptPage({ receipt, path, nonce, stylesheet }: PageParts & Shown): string {
  const texts = receiptTexts(receipt.locale);
  return renderDocument({
    title: `${texts.receipt} ${receipt.number} · ${receipt.merchant_name}`,
    locale: receipt.locale,
    appearance: receipt.appearance,
    nonce,
    stylesheet,
    layout: "receipt",
    inlineScript: PRINTS,
    body: <ReceiptPaper receipt={receipt} path={path} />,
  });
}

/** Not-found page for a receipt. */
export const renderNoReceipt = (parts: PageParts & { locale: CheckoutLocale }): string =>
  renderMessagePage({ ...receiptTexts(parts.locale).notFound, ...parts });

function ReceiptPaper({ receipt, path }: Shown) {
  const { currency, amount_captured, amount_refunded, card } = receipt;
  const texts = receiptTexts(receipt.locale);
  const formats = receiptFormats(receipt.locale, receipt.time_zone);
  const money = (amount: number) => formats.money(amount, currency);
  return (
    <div class="receipt-sheet">
      <main aria-labelledby="title">
        <SheetHead shop={receipt} test={texts.test} locale={receipt.locale} />
        <h1 id="title">
          {texts.receipt} <span class="figures">{receipt.number}</span>
        </h1>
        <p class="receipt-sum">
          <span class="figures">{money(amount_captured)}</span>
        </p>
        <p class="soft">{statusText(receipt)}</p>
        <dl class="rows">
          {receipt.bought && <Row label={texts.rows.bought}>{receipt.bought}</Row>}
          <Row label={texts.rows.date}>
            <time dateTime={receipt.captured_at}>{formats.time(new Date(receipt.captured_at))}</time>
          </Row>
          {card && <Row label={texts.rows.card}>{formats.card(card)}</Row>}
          {receipt.invoice_number && <Row label={invoiceTexts(receipt.locale).invoice}>{receipt.invoice_number}</Row>}
          <Row label={texts.rows.payment}>
            <span class="receipt-id">{receipt.payment_id}</span>
          </Row>
        </dl>
        <h2>{texts.amounts}</h2>
        <dl class="rows receipt-amounts">
          <TaxRows tax={receipt.tax} money={money} locale={receipt.locale} />
          <Row label={texts.rows.charged}>{money(amount_captured)}</Row>
          {receipt.refunds.map((refund) => (
            <Row key={refund.at} label={<RefundLabel refund={refund} receipt={receipt} path={path} />}>
              {refund.pending ? `(${money(-refund.amount)})` : money(-refund.amount)}
            </Row>
          ))}
          <Row label={receipt.refunds.length > 0 ? texts.rows.left : texts.rows.total}>
            <strong>{money(amount_captured - amount_refunded)}</strong>
          </Row>
        </dl>
        <Contact shop={receipt} locale={receipt.locale} />
        <button type="button" id="print" class="button">
          {texts.print}
        </button>
      </main>
      <footer class="soft">{texts.poweredBy}</footer>
    </div>
  );
}

/** The day, and a link to the refund's own document. */
function RefundLabel({ refund, receipt, path }: Shown & { refund: Receipt["refunds"][number] }) {
  const texts = receiptTexts(receipt.locale);
  const day = receiptFormats(receipt.locale, receipt.time_zone).day(new Date(refund.at));
  return (
    <>
      {(refund.pending ? texts.pendingSince : texts.refundedOn)(day)}
      {refund.credit_note && (
        <>
          <br />
          <a class="figures" href={`${path}/credit-note/${refund.credit_note}`}>
            {refund.credit_note}
          </a>
        </>
      )}
    </>
  );
}

function statusText({
  amount_captured: captured,
  amount_refunded: refunded,
  card,
  locale,
  time_zone,
}: Receipt): string {
  const texts = receiptTexts(locale);
  if (refunded === 0) return texts.paid;
  if (refunded < captured) return texts.partiallyRefunded;
  return card ? texts.refundedTo(receiptFormats(locale, time_zone).card(card)) : texts.refunded;
}
