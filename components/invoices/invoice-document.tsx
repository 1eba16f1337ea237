import { Facts } from "@/components/ui/card";
import { Time } from "@/components/ui/time";
import type { ShownLogo } from "@/lib/contract/checkout/appearance";
import type { InvoiceDetail } from "@/lib/contract/invoices/invoice-detail";
import { InvoiceLines, Span } from "./invoice-lines";
import { InvoiceBadge } from "./status";

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

/** The invoice as a sheet to print, in the merchant's name. */
export function InvoiceDocument({ detail, merchant, logo }: InvoiceDocumentProps) {
  const { invoice, customer } = detail;
  return (
    <article className="mx-auto max-w-3xl rounded-lg border bg-ground p-8 max-sm:p-4 print:max-w-none print:border-0 print:p-0">
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
          {merchant.tax_number && <p className="text-[13px] text-soft">Tax number: {merchant.tax_number}</p>}
          {[merchant.website, merchant.support_email].filter(Boolean).map((line) => (
            <p key={line} className="text-[13px] text-soft [overflow-wrap:anywhere]">
              {line}
            </p>
          ))}
        </div>
        <div className="text-right max-sm:text-left">
          <h1 className="font-semibold text-xl leading-8 tracking-tight">
            {invoice.number === null ? "Draft invoice" : `Invoice ${invoice.number}`}
          </h1>
          <InvoiceBadge status={invoice.status} />
        </div>
      </header>
      <Facts
        columns={2}
        className="mb-6"
        items={[
          { term: "Billed to", value: customer.email ?? invoice.customer_id },
          { term: "Date", value: <Time at={invoice.created_at} style="date" /> },
          { term: "Period", value: <Span from={invoice.period.start_at} to={invoice.period.end_at} /> },
          ...(invoice.paid_at ? [{ term: "Paid on", value: <Time at={invoice.paid_at} style="date" /> }] : []),
        ]}
      />
      <div className="-mx-4 border-t max-sm:mx-0">
        <InvoiceLines invoice={invoice} />
      </div>
      {invoice.environment === "sandbox" && (
        <p className="mt-6 text-center text-soft text-xs">Test mode: no money has moved.</p>
      )}
    </article>
  );
}
