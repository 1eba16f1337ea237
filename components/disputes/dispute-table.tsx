import Link from "next/link";
import { Card, Money } from "@/components/ui/card";
import { ColumnHeads, withFilters } from "@/components/ui/page-links";
import { Time } from "@/components/ui/time";
import type { Dispute } from "@/lib/contract/disputes/dispute";
import type { ListedDispute } from "@/lib/contract/disputes/list";
import { DISPUTE_REASON_WORDS } from "@/lib/contract/payments/words";
import type { Mode } from "@/lib/contract/transactions/words";
import { Deadline } from "./deadline";
import { DisputeBadge, disputePath } from "./status";

const COLUMNS = [
  ["Amount", "w-36 pr-6 text-right"],
  ["Status", "w-40 pr-4"],
  ["Respond by", "w-56 pr-4 max-md:hidden"],
  ["Reason", "w-44 pr-4 max-lg:hidden"],
  ["Customer", "pr-4 max-sm:hidden"],
  ["Opened", "w-32 max-lg:hidden"],
] as const;

/** A page of disputes; on narrow screens the amount's cell holds the rest. */
export function DisputeTable({ disputes, mode }: { disputes: readonly ListedDispute[]; mode: Mode }) {
  return (
    <table className="w-full text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Disputes, the next deadline first</caption>
      <ColumnHeads columns={COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {disputes.map(({ dispute, customer }) => (
          <tr key={dispute.id} className="relative h-10 border-b hover:bg-raised">
            <td className="py-2 pr-6 align-middle sm:text-right">
              <Link
                href={disputePath(mode, dispute.id)}
                prefetch={false}
                className="font-medium after:absolute after:inset-0"
              >
                <Money amount={dispute.amount} currency={dispute.currency} />
              </Link>
              <span className="mt-0.5 block text-soft text-xs [overflow-wrap:anywhere] sm:hidden">
                {[DISPUTE_REASON_WORDS[dispute.reason], customer].filter(Boolean).join(" · ")}
              </span>
              <span className="relative block text-soft text-xs sm:hidden">
                {dispute.status === "NEEDS_RESPONSE" ? (
                  <Deadline dispute={dispute} />
                ) : (
                  <Time at={dispute.created_at} />
                )}
              </span>
            </td>
            <td className="py-2 pr-4 align-middle max-sm:pr-0 max-sm:text-right">
              <DisputeBadge status={dispute.status} />
            </td>
            <td className="relative py-2 pr-4 align-middle max-md:hidden">
              <Deadline dispute={dispute} />
            </td>
            <td className="py-2 pr-4 align-middle max-lg:hidden">{DISPUTE_REASON_WORDS[dispute.reason]}</td>
            <td className="py-2 pr-4 align-middle max-sm:hidden">
              <span className="block truncate" title={customer ?? undefined}>
                {customer ?? <span className="text-soft">–</span>}
              </span>
            </td>
            <td className="relative py-2 align-middle text-soft max-lg:hidden">
              <Time at={dispute.created_at} style="date" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type CustomerDisputesProps = {
  list: { data: readonly Dispute[]; total: number };
  /** Value of the list's filter by customer. */
  filter: string | null;
  mode: Mode;
};

/** A customer's newest disputes. */
export function CustomerDisputes({ list, filter, mode }: CustomerDisputesProps) {
  return (
    <Card
      title="Disputes"
      flush
      actions={
        <Link
          href={withFilters(`/${mode}/disputes`, { customer: filter })}
          prefetch={false}
          className="text-accent text-xs hover:underline"
        >
          All {list.total.toLocaleString("en-US")}
        </Link>
      }
    >
      <DisputeRows disputes={list.data} mode={mode} />
    </Card>
  );
}

/** Disputes in a card; the mode is null in support. */
export function DisputeRows({ disputes, mode }: { disputes: readonly Dispute[]; mode: Mode | null }) {
  return (
    <ul className="divide-y">
      {disputes.map((dispute) => (
        <li
          key={dispute.id}
          className="relative flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 text-[13px] hover:bg-raised has-focus-visible:bg-raised"
        >
          <Link
            href={disputePath(mode, dispute.id)}
            prefetch={false}
            className="w-28 after:absolute after:inset-0 focus-visible:outline-offset-0"
          >
            <Money amount={dispute.amount} currency={dispute.currency} />
          </Link>
          <DisputeBadge status={dispute.status} />
          <span className="text-soft max-sm:hidden">{DISPUTE_REASON_WORDS[dispute.reason]}</span>
          <span className="relative ml-auto text-soft text-xs">
            {dispute.status === "NEEDS_RESPONSE" && dispute.respond_by ? (
              <Deadline dispute={dispute} />
            ) : (
              <Time at={dispute.created_at} style="date" />
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
