import { CopyId } from "@/components/ui/copy-id";
import { Time } from "@/components/ui/time";
import type { PaymentAuditEntry } from "@/lib/contract/support/payment-inside";

/** Who changed something, newest first. */
export function AuditList({ entries }: { entries: readonly PaymentAuditEntry[] }) {
  if (entries.length === 0) return <p className="p-4 text-[13px] text-soft">Nothing has changed yet.</p>;
  return (
    <ul className="divide-y">
      {entries.map((entry) => (
        <li key={entry.id} className="flex flex-wrap items-center gap-x-3 px-4 py-2 text-[13px]">
          <code className="font-mono text-xs">{entry.action}</code>
          <span className="min-w-0 text-soft [overflow-wrap:anywhere]">{entry.actor}</span>
          {entry.requestId && <CopyId id={entry.requestId} short label="Copy request id" className="text-soft" />}
          <Time at={entry.at} className="ml-auto text-soft text-xs" />
        </li>
      ))}
    </ul>
  );
}
