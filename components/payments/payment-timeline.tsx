import {
  Ban,
  Check,
  CheckCheck,
  CircleX,
  Clock,
  Gavel,
  type LucideIcon,
  ShieldCheck,
  ShieldQuestion,
  Undo2,
  UndoDot,
} from "lucide-react";
import Link from "next/link";
import { Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { cn } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import type { TimelineEntry } from "@/lib/contract/payments/payment-detail";
import type { Mode } from "@/lib/contract/transactions/words";
import { Actor } from "./request-list";

const KIND_ICONS: Record<TimelineEntry["kind"], LucideIcon> = {
  authorize: ShieldCheck,
  continue: ShieldCheck,
  capture: Check,
  void: Ban,
  refund: Undo2,
  refund_returned: UndoDot,
  capture_reversed: CircleX,
  settle: CheckCheck,
  dispute: Gavel,
};

const OUTCOME_ICONS = { declined: CircleX, failed: CircleX, pending: Clock, action_required: ShieldQuestion };
const OUTCOME_STYLES = {
  declined: "bg-red-ground text-red",
  failed: "bg-red-ground text-red",
  pending: "bg-amber-ground text-amber",
  action_required: "bg-amber-ground text-amber",
};
const KIND_STYLES: Record<TimelineEntry["kind"], string> = {
  authorize: "bg-blue-ground text-blue",
  continue: "bg-blue-ground text-blue",
  capture: "bg-blue-ground text-blue",
  void: "bg-raised text-soft",
  refund: "bg-violet-ground text-violet",
  refund_returned: "bg-amber-ground text-amber",
  capture_reversed: "bg-red-ground text-red",
  settle: "bg-green-ground text-green",
  dispute: "bg-green-ground text-green",
};

/** Null in support, where keys have no pages. */
type TimelineMode = Mode | null;

/** All entries, oldest first, with actor and idempotency key. */
export function PaymentTimeline({ entries, mode }: { entries: TimelineEntry[]; mode: TimelineMode }) {
  return (
    <ol aria-label="Timeline" className="flex flex-col">
      {entries.map((entry, index) => (
        <Entry key={entry.id} entry={entry} mode={mode} last={index === entries.length - 1} />
      ))}
    </ol>
  );
}

function Entry({ entry, mode, last }: { entry: TimelineEntry; mode: TimelineMode; last: boolean }) {
  const { outcome, kind } = entry;
  const Icon = outcome === "succeeded" ? KIND_ICONS[kind] : OUTCOME_ICONS[outcome];
  return (
    <li className="relative flex gap-3 pb-5 last:pb-0">
      {!last && <span aria-hidden="true" className="absolute top-7 bottom-1 left-3 w-px bg-line" />}
      <span
        className={cn(
          "flex size-6 shrink-0 items-center justify-center rounded-full",
          outcome === "succeeded" ? KIND_STYLES[kind] : OUTCOME_STYLES[outcome],
        )}
      >
        <Icon aria-hidden="true" className="size-3.5" />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p className="font-medium">
            {entry.title} <Money amount={entry.amount} currency={entry.currency} bare className="font-normal" />
          </p>
          <Time at={entry.at} className="text-soft text-xs" />
        </div>
        {entry.said && <p className="text-soft">{entry.said}</p>}
        {entry.reason && <p className="[overflow-wrap:anywhere]">Reason: {entry.reason}</p>}
        <EntryFacts entry={entry} mode={mode} />
        {entry.attempts > 1 && (
          <p className="text-soft text-xs">The processor was called {entry.attempts} times for this operation.</p>
        )}
      </div>
    </li>
  );
}

function EntryFacts({ entry, mode }: { entry: TimelineEntry; mode: TimelineMode }) {
  const { idempotency_key: key } = entry;
  return (
    <dl className="mt-0.5 flex flex-col text-soft text-xs [&>div]:flex [&>div]:min-w-0 [&>div]:items-center [&>div]:gap-1.5">
      <div>
        <dt>By</dt>
        <dd className="min-w-0 text-ink">
          <Actor actor={entry.actor} />
        </dd>
      </div>
      {key !== null && (
        <div>
          <dt className="shrink-0">Key</dt>
          <dd className="min-w-0">
            {mode === null ? (
              <CopyId id={key} label="Copy idempotency key" />
            ) : (
              <Link
                href={`/${mode}/developers/idempotency?key=${encodeURIComponent(key)}`}
                className="block truncate font-mono text-accent leading-6 hover:underline"
                title={`Inspect the idempotency key ${key}`}
              >
                {key}
              </Link>
            )}
          </dd>
        </div>
      )}
      {entry.request_id && (
        <div>
          <dt>Request</dt>
          <dd className="min-w-0">
            <CopyId id={entry.request_id} short label="Copy request id" />
          </dd>
        </div>
      )}
      {entry.settlement_batch_id && (
        <div>
          <dt>Batch</dt>
          <dd className="min-w-0">
            <CopyId id={entry.settlement_batch_id} short label="Copy batch id" />
          </dd>
        </div>
      )}
    </dl>
  );
}
