import { directionOf } from "@/lib/client/checkout/payment-form/texts";
import type { ShownLogo } from "@/lib/contract/checkout/appearance";
import { NUMBER_LOCALES } from "@/lib/contract/checkout/localized";
import type { InvoiceDetail } from "@/lib/contract/invoices/invoice-detail";
import { taxLabel } from "@/lib/contract/invoices/tax";
import { invoiceTexts } from "@/lib/contract/invoices/texts";
import { receiptFormats, receiptTexts } from "@/lib/contract/receipts/texts";

type InvoiceDocumentProps = {
  detail: InvoiceDetail;
  merchant: {
    name: string;
    website: string | null;
    support_email: string | null;
    business_address: string | null;
    tax_number: string | null;
  };
  logo: ShownLogo | null;
};

/** The invoice as a sheet to print, in the merchant's name and the customer's language. */
export function InvoiceDocument({ detail, merchant, logo }: InvoiceDocumentProps) {
  const { invoice, customer, locale } = detail;
  const texts = invoiceTexts(locale);
  const formats = receiptFormats(locale, detail.time_zone);
  const day = (at: string) => formats.day(new Date(at));
  const facts: [term: string, value: string][] = [
    [texts.rows.billedTo, customer.email ?? invoice.customer_id],
    [texts.rows.date, day(invoice.created_at)],
  ];
  return (
    <article
      lang={locale}
      dir={directionOf(locale)}
      className="mx-auto max-w-3xl rounded-lg border bg-ground p-8 max-sm:p-4 print:max-w-none print:border-0 print:p-0"
    >
      <header className="mb-8 flex flex-wrap items-start justify-between gap-4">
        <div>
          {logo && (
            // biome-ignore lint/performance/noImgElement: Next resizes nothing here
            <img
              src={logo.src}
              width={logo.width}
              height={logo.height}
              alt=""
              className="mb-3 h-auto max-h-12 w-auto max-w-48 object-contain"
            />
          )}
          <p className="font-semibold text-base">{merchant.name}</p>
          {merchant.business_address && (
            <p className="whitespace-pre-line text-[13px] text-soft [overflow-wrap:anywhere]">
              {merchant.business_address}
            </p>
          )}
          {merchant.tax_number && (
            <p className="text-[13px] text-soft">{`${receiptTexts(locale).taxNumber}: ${merchant.tax_number}`}</p>
          )}
          {[merchant.website, merchant.support_email].filter(Boolean).map((line) => (
            <p key={line} className="text-[13px] text-soft [overflow-wrap:anywhere]">
              {line}
            </p>
          ))}
        </div>
        <div className="text-end max-sm:text-start">
          <h1 className="font-semibold text-xl leading-8 tracking-tight">
            {invoice.number === null ? texts.draft : `${texts.invoice} ${invoice.number}`}
          </h1>
          <p className="text-[13px] text-soft">{statusText(detail, day, merchant.name)}</p>
        </div>
      </header>
      <dl className="mb-6 grid grid-cols-2 gap-4 text-[13px]">
        {facts.map(([term, value]) => (
          <div key={term} className="min-w-0">
            <dt className="text-soft">{term}</dt>
            <dd className="[overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
      </dl>
      <Amounts detail={detail} formats={formats} day={day} />
      {invoice.environment === "sandbox" && <p className="mt-6 text-center text-soft text-xs">{texts.test}</p>}
    </article>
  );
}

function statusText({ invoice, locale }: InvoiceDetail, day: (at: string) => string, merchant: string): string {
  const texts = invoiceTexts(locale);
  switch (invoice.status) {
    case "DRAFT":
    case "OPEN":
      return texts.due;
    case "PAID":
      return invoice.amount_due === 0 ? texts.nothingToPay : texts.paid(day(invoice.paid_at ?? invoice.created_at));
    case "VOID":
      return texts.void;
    case "UNCOLLECTIBLE":
      return texts.uncollectible(merchant);
    default:
      return invoice.status satisfies never;
  }
}

type AmountsProps = {
  detail: InvoiceDetail;
  formats: ReturnType<typeof receiptFormats>;
  day: (at: string) => string;
};

/** The lines, then net amount, tax and total, down to the amount due. */
function Amounts({ detail: { invoice, locale }, formats, day }: AmountsProps) {
  const { rows, items, range } = invoiceTexts(locale);
  const { currency, tax, total, credit_used: credit } = invoice;
  const money = (amount: number) => formats.money(amount, currency);
  const totals: [label: string, amount: number][] = [
    ...(tax === null || total === 0
      ? []
      : ([
          [receiptTexts(locale).rows.net, tax.net],
          [taxLabel({ name: tax.name, rate: Math.round(tax.percentage * 1_000) }, NUMBER_LOCALES[locale]), tax.amount],
        ] satisfies [string, number][])),
    [rows.total, total],
    ...(credit > 0 ? ([[rows.creditUsed, -credit]] satisfies [string, number][]) : []),
    ...(total < 0 ? ([[rows.credited, -total]] satisfies [string, number][]) : []),
  ];
  return (
    <table className="w-full border-t text-[13px] tabular-nums">
      <caption className="sr-only">{items}</caption>
      <tbody>
        {invoice.lines.map((line) => (
          <tr key={`${line.type} ${line.description} ${line.start_at}`} className="border-b align-top">
            <th scope="row" className="py-2.5 pe-4 text-start font-normal">
              {line.description}
              <span className="block text-soft text-xs">
                {line.quantity > 1 && `${line.quantity} × ${money(line.unit_amount)} · `}
                {range(day(line.start_at), day(line.end_at))}
              </span>
            </th>
            <td className="py-2.5 text-end">{money(line.amount)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        {totals.map(([label, amount]) => (
          <tr key={label}>
            <th scope="row" className="py-1 pe-4 text-end font-normal text-soft">
              {label}
            </th>
            <td className="py-1 text-end">{money(amount)}</td>
          </tr>
        ))}
        <tr className="font-semibold text-sm">
          <th scope="row" className="py-2 pe-4 text-end">
            {invoice.status === "PAID" ? receiptTexts(locale).paid : rows.due}
          </th>
          <td className="py-2 text-end">{money(invoice.amount_due)}</td>
        </tr>
      </tfoot>
    </table>
  );
}
