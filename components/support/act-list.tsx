import Link from "next/link";
import type { ReactNode } from "react";
import { CopyId } from "@/components/ui/copy";
import { Time } from "@/components/ui/time";
import { actionText } from "@/lib/contract/accounts/activity";
import type { OwnAct } from "@/lib/contract/support/merchant-view";
import type { PaymentAuditEntry } from "@/lib/contract/support/payment-detail";
import { type StaffActView, staffActWords } from "@/lib/contract/support/staff-acts";

type ActListProps = {
  acts: readonly StaffActView[];
  /** The object whose page shows the list, not repeated in it. */
  about?: string;
};

/** Look-ups and actions by support staff, newest first. */
export function ActList({ acts, about }: ActListProps) {
  return (
    <Acts
      acts={acts.map((act) => ({
        id: act.id,
        at: act.at,
        words: staffActWords(act.action),
        by: act.staff.email,
        more: (
          <>
            {act.objectId !== about && <ActObject act={act} />}
            <ActWords act={act} />
          </>
        ),
      }))}
    />
  );
}

/** Account actions by a merchant's members: keys, settings, team. */
export function OwnActList({ acts }: { acts: readonly OwnAct[] }) {
  return <Acts acts={acts.map(({ id, at, action, actor }) => ({ id, at, words: actionText(action), by: actor }))} />;
}

type ActsProps = { acts: readonly { id: string; at: string; words: string; by: string; more?: ReactNode }[] };

function Acts({ acts }: ActsProps) {
  if (acts.length === 0) return <p className="p-4 text-[13px] text-soft">Nothing yet.</p>;
  return (
    <ul className="divide-y">
      {acts.map(({ id, at, words, by, more }) => (
        <li key={id} className="px-4 py-2 text-[13px]">
          <p className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span className="font-medium">{words}</span>
            <Time at={at} className="text-soft text-xs" />
          </p>
          {more}
          <p className="text-soft text-xs [overflow-wrap:anywhere]">{by}</p>
        </li>
      ))}
    </ul>
  );
}

/** Reason or search query. */
export function ActWords({ act: { reason, query } }: { act: StaffActView }) {
  if (reason !== null) return <p className="[overflow-wrap:anywhere]">Reason: {reason}</p>;
  if (query !== null) return <p className="[overflow-wrap:anywhere]">“{query}”</p>;
  return null;
}

/** Object of an action; payments and transactions are links. */
export function ActObject({ act: { objectId } }: { act: StaffActView }) {
  if (objectId === null || objectId.startsWith("mer_")) return null;
  const href = objectId.startsWith("pay_")
    ? `/support/payments/${objectId}`
    : `/support?q=${encodeURIComponent(objectId)}`;
  return (
    <Link
      href={href}
      prefetch={false}
      className="block truncate font-mono text-accent text-xs leading-6 hover:underline"
    >
      {objectId}
    </Link>
  );
}

/** Changes and their authors, newest first. */
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
