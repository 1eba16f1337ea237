import { Ban, CheckCheck, CircleDashed, CircleX, type LucideIcon, PencilLine } from "lucide-react";
import { Badge, type Tone } from "@/components/ui/badge";
import type { InvoiceKind, InvoiceStatus } from "@/lib/contract/subscriptions/statuses";
import type { Mode } from "@/lib/contract/transactions/words";

const STATUSES: Record<InvoiceStatus, { label: string; tone: Tone; icon: LucideIcon }> = {
  DRAFT: { label: "Draft", tone: "neutral", icon: PencilLine },
  OPEN: { label: "Open", tone: "blue", icon: CircleDashed },
  PAID: { label: "Paid", tone: "green", icon: CheckCheck },
  VOID: { label: "Void", tone: "neutral", icon: Ban },
  UNCOLLECTIBLE: { label: "Uncollectible", tone: "red", icon: CircleX },
};

export function InvoiceBadge({ status }: { status: InvoiceStatus }) {
  const { label, tone, icon: Icon } = STATUSES[status];
  return (
    <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
      {label}
    </Badge>
  );
}

type Billed = { kind: InvoiceKind; period: { number: number } };

/** Subject of an invoice: "Trial", "Period 3", "Plan change". */
export function invoiceSubject({ kind, period }: Billed): string {
  switch (kind) {
    case "TRIAL":
      return "Trial";
    case "PERIOD":
      return `Period ${period.number}`;
    case "CHANGE":
      return "Plan change";
    default:
      return kind satisfies never;
  }
}

export const invoicePath = (mode: Mode, id: string): string => `/${mode}/invoices/${id}`;
