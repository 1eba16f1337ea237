/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { NUMBER_LOCALES } from "@/lib/contract/checkout/localized";
import type { Shop } from "@/lib/contract/checkout/shop";
import { type ShownTax, taxLabel } from "@/lib/contract/invoices/tax";
import { receiptTexts } from "@/lib/contract/receipts/texts";
import { Logo } from "./icons";

/** Parts of receipts and invoices: a sheet on screen, plain paper in print. */

/** Script of a page with a `print` button. */
export const PRINTS = 'document.getElementById("print").addEventListener("click", () => print());';

type SheetHeadProps = {
  shop: Shop;
  test: string;
  /** Adds address and tax number, for documents. */
  locale?: CheckoutLocale;
};

/** Logo and name of the merchant. `test`: notice in test mode. */
export function SheetHead({ shop, test, locale }: SheetHeadProps) {
  const { merchant_name: merchant, logo, environment, business_address: address, tax_number: tax } = shop;
  return (
    <>
      {environment === "sandbox" && <p class="receipt-test">{test}</p>}
      <header class="receipt-head">
        {logo && <Logo logo={logo} merchant={merchant} />}
        <p class="merchant">{merchant}</p>
      </header>
      {locale && (address || tax) && (
        <p class="receipt-address soft" dir="auto">
          {address}
          {address && tax && "\n"}
          {tax && `${receiptTexts(locale).taxNumber}: ${tax}`}
        </p>
      )}
    </>
  );
}

export function Contact({ shop, locale }: { shop: Shop; locale: CheckoutLocale }) {
  const { merchant_name: merchant, support_email: email, website } = shop;
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

type TaxRowsProps = { tax: ShownTax | null; money: (amount: number) => string; locale: CheckoutLocale };

/** Net amount and tax, above the amount that includes it. */
export function TaxRows({ tax, money, locale }: TaxRowsProps) {
  if (tax === null) return null;
  return (
    <>
      <Row label={receiptTexts(locale).rows.net}>{money(tax.net)}</Row>
      <Row label={taxLabel(tax, NUMBER_LOCALES[locale])}>{money(tax.amount)}</Row>
    </>
  );
}

export function Row({ label, children }: { label: ComponentChildren; children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd class="figures">{children}</dd>
    </div>
  );
}
