/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { cardText, dateText, fullTimeText, moneyTextWithCode } from "@/lib/contract/format";
import type { Receipt } from "@/lib/contract/receipts/receipts";
import { Logo } from "./icons";
import { renderDocument, renderMessagePage, type Stylesheet } from "./render-document";

type PageParts = { nonce: string; stylesheet: Stylesheet };

/** A receipt, to read and to print. Its one script opens the browser's print dialog. */
export function renderReceiptPage({ receipt, nonce, stylesheet }: PageParts & { receipt: Receipt }): string {
  return renderDocument({
    title: `Receipt ${receipt.number} · ${receipt.merchant_name}`,
    locale: "en",
    appearance: receipt.appearance,
    nonce,
    stylesheet,
    layout: "receipt",
    inlineScript: 'document.getElementById("print").addEventListener("click", () => print());',
    body: <ReceiptPaper receipt={receipt} />,
  });
}

/** What stands in its place at any other address. */
export const renderNoReceipt = (parts: PageParts): string =>
  renderMessagePage({
    title: "Receipt not found",
    text: "Check that you opened the whole address. A payment has a receipt once the card is charged; ask the shop if you need one.",
    locale: "en",
    ...parts,
  });

function ReceiptPaper({ receipt }: { receipt: Receipt }) {
  const { merchant_name: merchant, logo, environment, currency, amount_captured, amount_refunded, card } = receipt;
  const zone = receipt.time_zone;
  const money = (amount: number) => moneyTextWithCode(amount, currency);
  return (
    <div class="receipt-sheet">
      <main aria-labelledby="title">
        {environment === "sandbox" && <p class="receipt-test">Test receipt: no money moved</p>}
        <header class="receipt-head">
          {logo && <Logo logo={logo} merchant={merchant} />}
          <p class="merchant">{merchant}</p>
        </header>
        <h1 id="title">
          Receipt <span class="figures">{receipt.number}</span>
        </h1>
        <p class="receipt-sum">
          <span class="figures">{money(amount_captured)}</span>
        </p>
        <p class="soft">{statusText(receipt)}</p>
        <dl class="rows">
          {receipt.bought && <Row label="For">{receipt.bought}</Row>}
          <Row label="Date">
            <time dateTime={receipt.captured_at}>{fullTimeText(new Date(receipt.captured_at), zone)}</time>
          </Row>
          {card && <Row label="Paid with">{cardText(card.brand, card.last4)}</Row>}
          <Row label="Payment">
            <span class="receipt-id">{receipt.payment_id}</span>
          </Row>
        </dl>
        <h2>Amounts</h2>
        <dl class="rows receipt-amounts">
          <Row label="Charged">{money(amount_captured)}</Row>
          {receipt.refunds.map((refund) => (
            <Row
              key={refund.at}
              label={`${refund.pending ? "Refund pending since" : "Refunded on"} ${dateText(new Date(refund.at), zone)}`}
            >
              {refund.pending ? `(${money(-refund.amount)})` : money(-refund.amount)}
            </Row>
          ))}
          <Row label={receipt.refunds.length > 0 ? "Total after refunds" : "Total"}>
            <strong>{money(amount_captured - amount_refunded)}</strong>
          </Row>
        </dl>
        <Contact receipt={receipt} />
        <button type="button" id="print" class="button">
          Print
        </button>
      </main>
      <footer class="soft">Card payment by Cardlane</footer>
    </div>
  );
}

function statusText({ amount_captured: captured, amount_refunded: refunded, card }: Receipt): string {
  const from = card ? ` to ${cardText(card.brand, card.last4)}` : "";
  if (refunded === 0) return "Paid";
  return refunded < captured ? "Paid, partially refunded" : `Refunded in full${from}`;
}

function Contact({ receipt: { merchant_name: merchant, support_email: email, website } }: { receipt: Receipt }) {
  if (email === null && website === null) return null;
  const address = website !== null && /^https?:\/\//i.test(website) ? website : null;
  return (
    <p class="receipt-contact soft">
      Questions? Contact {merchant}
      {email !== null && (
        <>
          {" at "}
          <a href={`mailto:${encodeURIComponent(email).replace("%40", "@")}`}>{email}</a>
        </>
      )}
      {address !== null && (
        <>
          {email === null ? " at " : " or "}
          <a href={address} rel="noopener">
            {address.replace(/^https?:\/\/|\/$/gi, "")}
          </a>
        </>
      )}
      .
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
