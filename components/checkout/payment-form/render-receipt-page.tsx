/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import type { Receipt } from "@/lib/contract/receipts/receipts";
import { receiptFormats, receiptTexts } from "@/lib/contract/receipts/texts";
import { Logo } from "./icons";
import { renderDocument, renderMessagePage, type Stylesheet } from "./render-document";

type PageParts = { nonce: string; stylesheet: Stylesheet };

/** A receipt to read and print. Its only script opens the browser's print dialog. */
export function renderReceiptPage({ receipt, nonce, stylesheet }: PageParts & { receipt: Receipt }): string {
  const texts = receiptTexts(receipt.locale);
  return renderDocument({
    title: `${texts.receipt} ${receipt.number} · ${receipt.merchant_name}`,
    locale: receipt.locale,
    appearance: receipt.appearance,
    nonce,
    stylesheet,
    layout: "receipt",
    inlineScript: 'document.getElementById("print").addEventListener("click", () => print());',
    body: <ReceiptPaper receipt={receipt} />,
  });
}

/** Not-found page for a receipt. */
export const renderNoReceipt = (parts: PageParts & { locale: CheckoutLocale }): string =>
  renderMessagePage({ ...receiptTexts(parts.locale).notFound, ...parts });

function ReceiptPaper({ receipt }: { receipt: Receipt }) {
  const { merchant_name: merchant, logo, environment, currency, amount_captured, amount_refunded, card } = receipt;
  const texts = receiptTexts(receipt.locale);
  const formats = receiptFormats(receipt.locale, receipt.time_zone);
  const money = (amount: number) => formats.money(amount, currency);
  return (
    <div class="receipt-sheet">
      <main aria-labelledby="title">
        {environment === "sandbox" && <p class="receipt-test">{texts.test}</p>}
        <header class="receipt-head">
          {logo && <Logo logo={logo} merchant={merchant} />}
          <p class="merchant">{merchant}</p>
        </header>
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
          <Row label={texts.rows.payment}>
            <span class="receipt-id">{receipt.payment_id}</span>
          </Row>
        </dl>
        <h2>{texts.amounts}</h2>
        <dl class="rows receipt-amounts">
          <Row label={texts.rows.charged}>{money(amount_captured)}</Row>
          {receipt.refunds.map((refund) => (
            <Row
              key={refund.at}
              label={(refund.pending ? texts.pendingSince : texts.refundedOn)(formats.day(new Date(refund.at)))}
            >
              {refund.pending ? `(${money(-refund.amount)})` : money(-refund.amount)}
            </Row>
          ))}
          <Row label={receipt.refunds.length > 0 ? texts.rows.left : texts.rows.total}>
            <strong>{money(amount_captured - amount_refunded)}</strong>
          </Row>
        </dl>
        <Contact receipt={receipt} />
        <button type="button" id="print" class="button">
          {texts.print}
        </button>
      </main>
      <footer class="soft">{texts.poweredBy}</footer>
    </div>
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

function Contact({ receipt }: { receipt: Receipt }) {
  const { merchant_name: merchant, support_email: email, website, locale } = receipt;
  const address = website !== null && /^https?:\/\//i.test(website) ? website : null;
  if (email === null && address === null) return null;
  return (
    <p class="receipt-contact soft">
      {receiptTexts(locale).contact(merchant)}
      {email !== null && (
        <>
          {" · "}
          <a href={`mailto:${encodeURIComponent(email).replace("%40", "@")}`}>{email}</a>
        </>
      )}
      {address !== null && (
        <>
          {" · "}
          <a href={address} rel="noopener">
            {address.replace(/^https?:\/\/|\/$/gi, "")}
          </a>
        </>
      )}
    </p>
  );
}

function Row({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd class="figures">{children}</dd>
    </div>
  );
}
