import { Facts } from "@/components/ui/facts";
import { Money } from "@/components/ui/money";
import type { MoneySubject } from "@/lib/client/money-subject";

/** What was taken, what went back, and what can still be refunded: above every refund's form. */
export function RefundFacts({ subject }: { subject: MoneySubject }) {
  const { captured, refunded, refundable, currency } = subject;
  const underWay = captured - refunded - refundable;
  return (
    <Facts
      className="rounded-md border px-3 py-1.5"
      items={[
        { term: "Captured", value: <Money amount={captured} currency={currency} /> },
        { term: "Already refunded", value: <Money amount={refunded} currency={currency} /> },
        ...(underWay > 0 ? [{ term: "Being refunded", value: <Money amount={underWay} currency={currency} /> }] : []),
        { term: "Remaining", value: <Money amount={refundable} currency={currency} className="font-semibold" /> },
      ]}
    />
  );
}
