import { CircleCheck, CircleHelp, CircleX, Clock, type LucideIcon } from "lucide-react";
import Link from "next/link";
import { Card, Money } from "@/components/ui/card";
import { cn } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import type { AttentionItem, AttentionKind, AttentionRow } from "@/lib/contract/reporting/overview";
import { transactionsHref } from "@/lib/contract/transactions/query";
import type { Mode } from "@/lib/contract/transactions/words";

type Words = {
  icon: LucideIcon;
  tone: string;
  title(count: number): string;
  /** What to do about it. */
  advice: string;
  row(row: AttentionRow): string;
};

const plural = (count: number, one: string, many: string) =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

const DOING = {
  authorize: "Payment",
  continue: "Payment",
  capture: "Capture",
  void: "Void",
  refund: "Refund",
} as const;

const WORDS: Record<AttentionKind, Words> = {
  unknown_outcome: {
    icon: CircleHelp,
    tone: "text-amber",
    title: (count) => plural(count, "outcome unknown", "outcomes unknown"),
    advice: "The processor's answer is missing. Cardlane keeps asking; do not repeat it by hand.",
    row: ({ doing }) => (doing ? DOING[doing] : "Payment"),
  },
  failed_refund: {
    icon: CircleX,
    tone: "text-red",
    title: (count) => plural(count, "refund failed", "refunds failed"),
    advice: "In the last 30 days. The customer has no money back yet: refund again, or pay by other means.",
    row: () => "Refund failed",
  },
  expiring: {
    icon: Clock,
    tone: "text-amber",
    title: (count) => plural(count, "authorization expires soon", "authorizations expire soon"),
    advice: "Within 24 hours. Capture or void them, or the hold is released.",
    row: () => "Expires",
  },
};

/** Where the rest of a kind is listed; unknown outcomes have no status of their own. */
function restHref(mode: Mode, kind: AttentionKind): string | null {
  switch (kind) {
    case "expiring":
      return transactionsHref(mode, { statuses: ["AUTHORIZED"], sort: { field: "created_at", order: "asc" } });
    case "failed_refund":
      return transactionsHref(mode, { statuses: ["FAILED"] });
    case "unknown_outcome":
      return transactionsHref(mode, { statuses: ["PENDING"] });
    default:
      return kind satisfies never;
  }
}

export function AttentionCard({ mode, items }: { mode: Mode; items: readonly AttentionItem[] }) {
  return (
    <Card title="Needs attention" flush>
      {items.length === 0 ? (
        <p className="flex items-center justify-center gap-2 px-4 py-8 text-[13px] text-soft">
          <CircleCheck aria-hidden="true" className="size-4" /> Nothing needs you right now.
        </p>
      ) : (
        items.map((item) => <Item key={item.kind} mode={mode} item={item} />)
      )}
    </Card>
  );
}

function Item({ mode, item }: { mode: Mode; item: AttentionItem }) {
  const { icon: Icon, tone, title, advice, row: rowText } = WORDS[item.kind];
  const rest = item.count - item.rows.length;
  const href = restHref(mode, item.kind);
  return (
    <section className="border-b px-4 py-3 last:border-0">
      <h3 className="flex items-center gap-2 font-medium text-[13px]">
        <Icon aria-hidden="true" className={cn("size-4 shrink-0", tone)} />
        {title(item.count)}
      </h3>
      <p className="mt-0.5 pl-6 text-soft text-xs">{advice}</p>
      <ul className="mt-1.5 pl-6 text-[13px]">
        {item.rows.map((row) => (
          <li
            key={row.transactionId ?? `${row.paymentId} ${row.doing}`}
            className="relative -mx-2 flex items-baseline gap-3 rounded px-2 py-0.5 hover:bg-raised"
          >
            <Link
              href={`/${mode}/payments/${row.paymentId}${row.transactionId ? `#${row.transactionId}` : ""}`}
              className="after:absolute after:inset-0 focus-visible:outline-offset-0"
            >
              <Money amount={row.amount} currency={row.currency} />
            </Link>
            <span className="relative ml-auto truncate text-soft text-xs">
              {rowText(row)} <Time at={row.at} style="relative" />
            </span>
          </li>
        ))}
      </ul>
      {rest > 0 && href && (
        <Link href={href} className="mt-1 ml-6 inline-block text-accent text-xs hover:underline">
          {rest.toLocaleString("en-US")} more
        </Link>
      )}
    </section>
  );
}
