import Link from "next/link";
import { StatusBadge } from "@/components/ui/badge";
import { ColumnHeads } from "@/components/ui/page-links";
import { Time } from "@/components/ui/time";
import type { ApprovalRequest } from "@/lib/contract/approvals/approvals";
import type { Mode } from "@/lib/contract/transactions/words";
import { approvalTitle } from "./approval-changes";

const COLUMNS = [
  ["Request", "w-72 pr-6"],
  ["Status", "w-32 pr-4"],
  ["Requested by", "w-44 pr-4 max-sm:hidden"],
  ["Why", "pr-4 max-md:hidden"],
  ["Decided by", "w-44 pr-4 max-lg:hidden"],
  ["Requested", "w-32 max-sm:hidden"],
] as const;

/** A page of requests; on narrow screens the amount's cell holds the rest. */
export function ApprovalTable({ requests, mode }: { requests: readonly ApprovalRequest[]; mode: Mode }) {
  return (
    <table className="w-full text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Requests for approval, newest first</caption>
      <ColumnHeads columns={COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {requests.map(({ id, parameters, status, requested_by, decided_by, reason, created_at }) => (
          <tr key={id} className="relative h-10 border-b hover:bg-raised">
            <td className="py-2 pr-6 align-middle">
              <Link
                href={`/${mode}/approvals/${id}`}
                prefetch={false}
                className="block truncate font-medium after:absolute after:inset-0 max-sm:whitespace-normal"
              >
                {approvalTitle({ parameters })}
              </Link>
              <span className="mt-0.5 block text-soft text-xs [overflow-wrap:anywhere] sm:hidden">
                {requested_by.name}: {reason}
              </span>
            </td>
            <td className="py-2 pr-4 align-middle max-sm:pr-0 max-sm:text-right">
              <StatusBadge status={status} />
            </td>
            <td className="py-2 pr-4 align-middle max-sm:hidden">
              <span className="block truncate" title={requested_by.name}>
                {requested_by.name}
              </span>
            </td>
            <td className="py-2 pr-4 align-middle max-md:hidden">
              <span className="block truncate" title={reason}>
                {reason}
              </span>
            </td>
            <td className="py-2 pr-4 align-middle max-lg:hidden">
              <span className="block truncate">{decided_by?.name ?? <span className="text-soft">–</span>}</span>
            </td>
            <td className="relative py-2 align-middle text-soft max-sm:hidden">
              <Time at={created_at} style="relative" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
