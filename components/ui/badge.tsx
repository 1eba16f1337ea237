import {
  Ban,
  Check,
  CheckCheck,
  CircleDashed,
  CircleHelp,
  CircleX,
  Clock,
  Handshake,
  type LucideIcon,
  PencilLine,
  ShieldQuestion,
  TriangleAlert,
  Undo2,
} from "lucide-react";
import type { ReactNode } from "react";
import { type DisputeStatus, isDisputed } from "@/lib/contract/disputes/statuses";
import type { TransactionStatus, TransactionType } from "@/lib/contract/transactions/words";
import { cn } from "./styles";

export type Tone = "neutral" | "accent" | "green" | "blue" | "amber" | "red" | "violet";

export const TONE_STYLES: Record<Tone, string> = {
  neutral: "bg-raised text-soft",
  accent: "bg-accent-ground text-accent",
  green: "bg-green-ground text-green",
  blue: "bg-blue-ground text-blue",
  amber: "bg-amber-ground text-amber",
  red: "bg-red-ground text-red",
  violet: "bg-violet-ground text-violet",
};

type BadgeProps = { tone?: Tone; icon?: ReactNode; className?: string; children: ReactNode };

export function Badge({ tone = "neutral", icon, className, children }: BadgeProps) {
  return (
    <span
      className={cn(
        "inline-flex h-5 items-center gap-1 whitespace-nowrap rounded px-1.5 font-medium text-xs [&_svg]:size-3 [&_svg]:shrink-0",
        TONE_STYLES[tone],
        className,
      )}
    >
      {icon}
      {children}
    </span>
  );
}

type StatusStyle = { label: string; tone: Tone; icon: LucideIcon };

/** Status → label, color and icon; color is never the only signal. */
const STYLES: Readonly<Record<string, StatusStyle>> = {
  PENDING: { label: "Pending", tone: "amber", icon: Clock },
  REQUIRES_ACTION: { label: "Requires action", tone: "amber", icon: ShieldQuestion },
  AUTHORIZED: { label: "Authorized", tone: "amber", icon: CircleDashed },
  CAPTURED: { label: "Captured", tone: "blue", icon: Check },
  SETTLED: { label: "Settled", tone: "green", icon: CheckCheck },
  VOIDED: { label: "Voided", tone: "neutral", icon: Ban },
  REFUNDED: { label: "Refunded", tone: "violet", icon: Undo2 },
  PARTIALLY_REFUNDED: { label: "Partially refunded", tone: "violet", icon: Undo2 },
  DECLINED: { label: "Declined", tone: "red", icon: CircleX },
  FAILED: { label: "Failed", tone: "red", icon: CircleX },
  SUCCEEDED: { label: "Refunded", tone: "violet", icon: Undo2 },
  UNKNOWN: { label: "Outcome unknown", tone: "amber", icon: CircleHelp },
  DRAFT: { label: "Draft", tone: "neutral", icon: PencilLine },
  ACTIVE: { label: "Active", tone: "green", icon: Check },
  INACTIVE: { label: "Inactive", tone: "neutral", icon: Ban },
  ENABLED: { label: "Enabled", tone: "green", icon: Check },
  FAILING: { label: "Failing", tone: "red", icon: TriangleAlert },
  DELIVERED: { label: "Delivered", tone: "green", icon: Check },
  DISABLED: { label: "Disabled", tone: "amber", icon: Ban },
  REVOKED: { label: "Revoked", tone: "red", icon: CircleX },
  APPROVED: { label: "Approved", tone: "green", icon: Check },
  REJECTED: { label: "Rejected", tone: "red", icon: CircleX },
  WITHDRAWN: { label: "Withdrawn", tone: "neutral", icon: Undo2 },
  EXPIRED: { label: "Expired", tone: "neutral", icon: Clock },
  OPEN: { label: "Open", tone: "blue", icon: CircleDashed },
  COMPLETED: { label: "Completed", tone: "green", icon: Check },
  CANCELLED: { label: "Cancelled", tone: "neutral", icon: Ban },
  IN_TRANSIT: { label: "In transit", tone: "blue", icon: CircleDashed },
  PAID: { label: "Paid", tone: "green", icon: CheckCheck },
  DISPUTED: { label: "Disputed", tone: "red", icon: TriangleAlert },
  DISPUTE_LOST: { label: "Dispute lost", tone: "red", icon: CircleX },
  DISPUTE_ACCEPTED: { label: "Dispute accepted", tone: "neutral", icon: Handshake },
  CAPTURE_REVERSED: { label: "Capture reversed", tone: "red", icon: CircleX },
  SUSPENDED: { label: "Suspended", tone: "red", icon: Ban },
};

/** Label of a status: "PARTIALLY_REFUNDED" → "Partially refunded". */
export function statusLabel(status: string): string {
  const known = STYLES[status];
  if (known) return known.label;
  const words = status.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function StatusBadge({ status, className }: { status: string; className?: string }) {
  const { tone, icon: Icon } = STYLES[status] ?? { tone: "neutral" as const, icon: CircleDashed };
  return (
    <Badge tone={tone} icon={<Icon aria-hidden="true" />} className={className}>
      {statusLabel(status)}
    </Badge>
  );
}

/**
 * Users see a refund as paid or not; the API's distinction between captured and settled doesn't help them.
 */
function transactionStatus({ type, status }: { type: TransactionType; status: TransactionStatus }): string {
  return type === "REFUND" && (status === "CAPTURED" || status === "SETTLED") ? "SUCCEEDED" : status;
}

type Marked = { dispute: { status: DisputeStatus } | null; capture_reversed_at: string | null };

/** Marks beside the status: a dispute, or a capture that later failed at the processor. */
export function MoneyMarks({ transaction: { dispute, capture_reversed_at } }: { transaction: Marked }) {
  const disputed =
    dispute && dispute.status !== "WON" && (isDisputed(dispute.status) ? "DISPUTED" : `DISPUTE_${dispute.status}`);
  return (
    <>
      {disputed && <StatusBadge status={disputed} />}
      {capture_reversed_at !== null && <StatusBadge status="CAPTURE_REVERSED" />}
    </>
  );
}

/** Status of a charge or a refund, each with its own labels. */
export function TransactionBadge({ of: transaction }: { of: { type: TransactionType; status: TransactionStatus } }) {
  return <StatusBadge status={transactionStatus(transaction)} />;
}
