import Link from "next/link";
import type { ReactNode } from "react";
import { cn } from "@/components/ui/class-names";
import { CopyId, shortId } from "@/components/ui/copy-id";
import { Facts } from "@/components/ui/facts";
import { StatusBadge } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import type { PaymentDetail } from "@/lib/contract/dashboard/payment-detail";
import type { Mode } from "@/lib/contract/transaction-words";

const LINK = "text-accent hover:underline";

/** What the payment hangs together with: its plan, client session, subscription, settlement batches. */
export function LinkedObjects({ detail, mode }: { detail: PaymentDetail; mode: Mode }) {
  const { plan, client_session: session, subscription_id: subscription, batches } = detail.linked;
  const items: { term: string; value: ReactNode }[] = [];
  if (plan) {
    items.push({
      term: "Plan",
      value: (
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link href={`/${mode}/plans/${plan.id}`} className={LINK}>
            {plan.name}
          </Link>
          <StatusBadge status={plan.status} />
        </span>
      ),
    });
  }
  if (session) {
    items.push({
      term: "Client session",
      value: (
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link href={`/${mode}/checkout/${session.id}`} className={cn(LINK, "font-mono text-xs")} title={session.id}>
            {shortId(session.id)}
          </Link>
          <StatusBadge status={session.status} />
        </span>
      ),
    });
  }
  if (subscription) items.push({ term: "Subscription", value: <CopyId id={subscription} short /> });
  for (const batch of batches) {
    items.push({
      term: "Settlement batch",
      value: (
        <span className="flex flex-wrap items-center gap-x-2">
          <CopyId id={batch.id} short label="Copy batch id" />
          <Time at={batch.created_at} className="text-soft text-xs" />
        </span>
      ),
    });
  }
  if (items.length === 0) {
    return <p className="text-soft">Not paid for a plan or in a client session, and not settled yet.</p>;
  }
  return <Facts items={items} />;
}

/** Who paid, and the way to what else they paid. */
export function CustomerFacts({ detail, mode }: { detail: PaymentDetail; mode: Mode }) {
  const { payment, linked } = detail;
  const { customer_id: id, customer_email: email, customer_name: name, billing_address: address } = payment;
  if (!id && !email && !name && !address) return <p className="text-soft">The payment names no customer.</p>;
  const others = linked.customer_payments;
  return (
    <Facts
      items={[
        { term: "Name", value: name },
        { term: "E-mail", value: email },
        { term: "Your customer id", value: id && <CopyId id={id} label="Copy customer id" /> },
        { term: "Billing address", value: address && <Address address={address} /> },
        ...(others && id
          ? [
              {
                term: "Other payments",
                value:
                  others.count === 0 ? (
                    "None"
                  ) : (
                    <Link href={`/${mode}/transactions?customer=${encodeURIComponent(id)}`} className={LINK}>
                      {others.more ? `More than ${others.count}` : others.count}
                    </Link>
                  ),
              },
            ]
          : []),
      ]}
    />
  );
}

function Address({ address }: { address: NonNullable<PaymentDetail["payment"]["billing_address"]> }) {
  const lines = [
    address.line1,
    address.line2,
    [address.postal_code, address.city, address.state].filter(Boolean).join(" "),
    address.country,
  ].filter(Boolean);
  if (lines.length === 0) return <span className="text-soft">–</span>;
  return (
    <address className="not-italic">
      {lines.map((line) => (
        <span key={line} className="block">
          {line}
        </span>
      ))}
    </address>
  );
}
