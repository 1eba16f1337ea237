import {
  Ban,
  Check,
  CheckCheck,
  CircleX,
  Clock,
  Gavel,
  Handshake,
  type LucideIcon,
  ShieldCheck,
  ShieldQuestion,
  Undo2,
  UndoDot,
} from "lucide-react";
import Link from "next/link";
import type { Tone } from "@/components/ui/badge";
import { Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { Timeline, TimelineItem } from "@/components/ui/timeline";
import type { TimelineEntry, TimelineOutcome } from "@/lib/contract/payments/payment-detail";
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

const OUTCOMES: Record<Exclude<TimelineOutcome, "succeeded">, { icon: LucideIcon; tone: Tone }> = {
  declined: { icon: CircleX, tone: "red" },
  failed: { icon: CircleX, tone: "red" },
  pending: { icon: Clock, tone: "amber" },
  action_required: { icon: ShieldQuestion, tone: "amber" },
  accepted: { icon: Handshake, tone: "neutral" },
};
const KIND_TONES: Record<TimelineEntry["kind"], Tone> = {
  authorize: "blue",
  continue: "blue",
  capture: "blue",
  void: "neutral",
  refund: "violet",
  refund_returned: "amber",
  capture_reversed: "red",
  settle: "green",
  dispute: "green",
};

/** Null in support, where keys have no pages. */
type TimelineMode = Mode | null;

/** All entries, newest first, with actor; in support also with idempotency key and request. */
export function PaymentTimeline({ entries, mode }: { entries: TimelineEntry[]; mode: TimelineMode }) {
  return (
    <Timeline>
      {entries.toReversed().map((entry) => (
        <Entry key={entry.id} entry={entry} mode={mode} />
      ))}
    </Timeline>
  );
}

function Entry({ entry, mode }: { entry: TimelineEntry; mode: TimelineMode }) {
  const { outcome, kind } = entry;
  const { icon, tone } =
    outcome === "succeeded" ? { icon: KIND_ICONS[kind], tone: KIND_TONES[kind] } : OUTCOMES[outcome];
  return (
    <TimelineItem
      icon={icon}
      tone={tone}
      title={
        <>
          {entry.title} <Money amount={entry.amount} currency={entry.currency} bare className="font-normal" />
        </>
      }
      at={entry.at}
    >
      {entry.said && <p className="text-soft">{entry.said}</p>}
      {entry.reason && <p className="[overflow-wrap:anywhere]">Reason: {entry.reason}</p>}
      {mode === null ? (
        <EntryFacts entry={entry} mode={mode} by />
      ) : (
        <p className="mt-0.5 text-soft text-xs">
          By{" "}
          <span className="text-ink">
            <Actor actor={entry.actor} inSentence />
          </span>
          {entry.requested_by !== null && (
            <>
              , who approved the request of <span className="text-ink">{entry.requested_by}</span>
            </>
          )}
        </p>
      )}
    </TimelineItem>
  );
}

/** Technical facts of each entry: idempotency key, request, batch. */
export function OperationKeys({ entries, mode }: { entries: TimelineEntry[]; mode: Mode }) {
  return (
    <ul className="divide-y">
      {entries.toReversed().map((entry) => (
        <li key={entry.id} className="px-4 py-2.5 text-[13px]">
          {entry.title}
          <EntryFacts entry={entry} mode={mode} />
        </li>
      ))}
    </ul>
  );
}

type EntryFactsProps = { entry: TimelineEntry; mode: TimelineMode; by?: boolean };

function EntryFacts({ entry, mode, by = false }: EntryFactsProps) {
  const { idempotency_key: key } = entry;
  return (
    <>
      <dl className="mt-0.5 flex flex-col text-soft text-xs [&>div]:flex [&>div]:min-w-0 [&>div]:items-center [&>div]:gap-1.5">
        {by && (
          <div>
            <dt>By</dt>
            <dd className="min-w-0 text-ink">
              <Actor actor={entry.actor} inSentence />
            </dd>
          </div>
        )}
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
      {entry.attempts > 1 && (
        <p className="text-soft text-xs">The processor was called {entry.attempts} times for this operation.</p>
      )}
    </>
  );
}
