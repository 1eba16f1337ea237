import { CopyId } from "@/components/ui/copy-id";
import { Facts } from "@/components/ui/facts";
import { Time } from "@/components/ui/time";
import type { ShownPayment } from "@/lib/contract/dashboard/payment-detail";

/** Ids, times and what the merchant's own server said of the payment. */
export function PaymentFacts({ payment }: { payment: ShownPayment }) {
  const metadata = Object.entries(payment.metadata);
  return (
    <>
      <Facts
        items={[
          { term: "Payment", value: <CopyId id={payment.id} short label="Copy payment id" /> },
          {
            term: "Transaction",
            value: payment.transactions[0] && (
              <CopyId id={payment.transactions[0].id} short label="Copy transaction id" />
            ),
          },
          { term: "Created", value: <Time at={payment.created_at} /> },
          { term: "Last change", value: <Time at={payment.updated_at} /> },
          { term: "Capture", value: payment.capture_method === "automatic" ? "At once" : "By your own call" },
          { term: "Description", value: payment.description },
        ]}
      />
      <h3 className="mt-3 border-t pt-3 font-medium">Metadata</h3>
      {metadata.length === 0 ? (
        <p className="text-soft">None</p>
      ) : (
        <Facts
          items={metadata.map(([name, value]) => ({
            term: <span className="font-mono text-xs [overflow-wrap:anywhere]">{name}</span>,
            value: <span className="font-mono text-xs">{String(value)}</span>,
          }))}
        />
      )}
    </>
  );
}
