import {
  CircleCheck,
  CircleHelp,
  CircleX,
  Clock,
  CreditCard,
  Gavel,
  Hourglass,
  type LucideIcon,
  UserCheck,
} from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { disputePath } from "@/components/disputes/status";
import { Card, Money } from "@/components/ui/card";
import { cn } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { MAX_COUNTED_REQUESTS } from "@/lib/contract/approvals/words";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { invoicesHref } from "@/lib/contract/invoices/list";
import type { AttentionItem, AttentionKind, AttentionRow } from "@/lib/contract/reporting/overview";
import { transactionsHref } from "@/lib/contract/transactions/query";
import type { Mode } from "@/lib/contract/transactions/words";

type Words = {
  icon: LucideIcon;
  tone: string;
  title(count: number): string;
  /** Advice for the user. */
  advice: string;
  row(row: AttentionRow): string;
};

/** Counts have the same cap as lists, unless they are read up to another. */
const countText = (count: number, cap = TOTAL_CAP) =>
  `${Math.min(count, cap).toLocaleString("en-US")}${count > cap ? "+" : ""}`;
const plural = (count: number, one: string, many: string, cap = TOTAL_CAP) =>
  `${countText(count, cap)} ${count === 1 ? one : many}`;

const DOING = {
  authorize: "Payment",
  continue: "Payment",
  capture: "Capture",
  void: "Void",
  refund: "Refund",
} as const;

const WORDS: Record<AttentionKind, Words> = {
  dispute: {
    icon: Gavel,
    tone: "text-red",
    title: (count) => plural(count, "dispute needs a response", "disputes need a response"),
    advice: "Without one by its deadline, the amount is lost.",
    row: () => "Respond",
  },
  unknown_outcome: {
    icon: CircleHelp,
    tone: "text-amber",
    title: (count) => plural(count, "outcome unknown", "outcomes unknown"),
    advice: "The processor has not given a final response. Cardlane keeps checking; do not repeat the payment.",
    row: ({ doing }) => (doing ? DOING[doing] : "Payment"),
  },
  failed_refund: {
    icon: CircleX,
    tone: "text-red",
    title: (count) => plural(count, "refund failed", "refunds failed"),
    advice: "In the last 30 days. The customer has not been paid back: refund again, or pay another way.",
    row: () => "Refund failed",
  },
  capture_reversed: {
    icon: CircleX,
    tone: "text-red",
    title: (count) => plural(count, "capture reversed", "captures reversed"),
    advice: "In the last 30 days. The processor reported that the capture failed later, so the money never came.",
    row: () => "Capture reversed",
  },
  waiting_invoice: {
    icon: CreditCard,
    tone: "text-red",
    title: (count) => plural(count, "invoice isn’t paid", "invoices aren’t paid"),
    advice: "No attempt is planned. Change the card, charge it now, or resume the subscription if it is paused.",
    row: () => "Waiting",
  },
  expiring: {
    icon: Clock,
    tone: "text-amber",
    title: (count) => plural(count, "authorization expires soon", "authorizations expire soon"),
    advice: "Within 24 hours. Capture or void them, or the hold is released.",
    row: () => "Expires",
  },
  to_capture: {
    icon: Hourglass,
    tone: "text-soft",
    title: (count) => plural(count, "authorization to capture", "authorizations to capture"),
    advice: "Each holds money on a card until it is captured, voided, or seven days old.",
    row: () => "Authorized",
  },
};

/** List with exactly the rows of a kind. */
function listHref(mode: Mode, kind: AttentionKind): string {
  if (kind === "waiting_invoice") return invoicesHref(mode, { payment: ["waiting"] });
  if (kind === "dispute") return `/${mode}/disputes?deadline=ahead`;
  if (kind !== "to_capture") return transactionsHref(mode, { attention: [kind] });
  return transactionsHref(mode, {
    status: ["AUTHORIZED"],
    type: ["CHARGE"],
    sort: { field: "created_at", order: "asc" },
  });
}

type AttentionCardProps = {
  mode: Mode;
  items: readonly AttentionItem[];
  /** Open requests that this member may decide, at most one more than {@link MAX_COUNTED_REQUESTS}. */
  approvals: number;
};

export function AttentionCard({ mode, items, approvals }: AttentionCardProps) {
  return (
    <Card title="Needs attention" flush>
      {approvals > 0 && (
        <Part
          icon={UserCheck}
          tone="text-amber"
          title={plural(
            approvals,
            "request waits for your approval",
            "requests wait for your approval",
            MAX_COUNTED_REQUESTS,
          )}
          href={`/${mode}/approvals`}
          advice="Nothing happens until you or a colleague decides. Undecided requests expire after seven days."
        />
      )}
      {items.length === 0 && approvals === 0 ? (
        <p className="flex items-center justify-center gap-2 px-4 py-8 text-[13px] text-soft">
          <CircleCheck aria-hidden="true" className="size-4" /> Nothing needs attention.
        </p>
      ) : (
        items.map((item) => <Item key={item.kind} mode={mode} item={item} />)
      )}
    </Card>
  );
}

function Item({ mode, item }: { mode: Mode; item: AttentionItem }) {
  const { title, row: rowText, ...words } = WORDS[item.kind];
  const href = listHref(mode, item.kind);
  return (
    <Part {...words} title={title(item.count)} href={href}>
      {item.rows.length > 0 && <Rows {...{ mode, rows: item.rows, rowText }} />}
      {item.rows.length > 0 && item.count > item.rows.length && (
        <Link href={href} className="mt-1 ml-6 inline-block text-accent text-xs hover:underline">
          View all {countText(item.count)}
        </Link>
      )}
    </Part>
  );
}

type PartProps = Pick<Words, "icon" | "tone" | "advice"> & { title: string; href: string; children?: ReactNode };

function Part({ icon: Icon, tone, title, href, advice, children }: PartProps) {
  return (
    <section className="border-b px-4 py-3 last:border-0">
      <h3 className="flex items-center gap-2 font-medium text-[13px]">
        <Icon aria-hidden="true" className={cn("size-4 shrink-0", tone)} />
        <Link href={href} className="hover:underline">
          {title}
        </Link>
      </h3>
      <p className="mt-0.5 pl-6 text-soft text-xs">{advice}</p>
      {children}
    </section>
  );
}

function rowHref(mode: Mode, { disputeId, invoiceId, paymentId, transactionId }: AttentionRow): string {
  if (disputeId !== null) return disputePath(mode, disputeId);
  if (invoiceId !== null) return `/${mode}/invoices/${invoiceId}`;
  return `/${mode}/payments/${paymentId}${transactionId ? `#${transactionId}` : ""}`;
}

type RowsProps = { mode: Mode; rows: readonly AttentionRow[]; rowText: Words["row"] };

function Rows({ mode, rows, rowText }: RowsProps) {
  return (
    <ul className="mt-1.5 pl-6 text-[13px]">
      {rows.map((row) => (
        <li
          key={row.disputeId ?? row.invoiceId ?? row.transactionId ?? `${row.paymentId} ${row.doing}`}
          className="relative -mx-2 flex items-baseline gap-3 rounded px-2 py-0.5 hover:bg-raised"
        >
          <Link href={rowHref(mode, row)} className="after:absolute after:inset-0 focus-visible:outline-offset-0">
            <Money amount={row.amount} currency={row.currency} />
          </Link>
          <span className="relative ml-auto truncate text-soft text-xs">
            {rowText(row)} <Time at={row.at} style="relative" by="environment" />
          </span>
        </li>
      ))}
    </ul>
  );
}
