import type { ReactNode } from "react";
import { Badge, type Tone } from "@/components/ui/badge";
import { Facts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { Time } from "@/components/ui/time";
import type { ProcessorStatus, SupportOperation } from "@/lib/contract/support/payment-detail";
import { CheckStatus } from "./check-status";
import { OPERATION_WORDS, PlainStatus } from "./labels";

type OperationListProps = { operations: readonly SupportOperation[]; answers: Record<string, ReactNode> };

/** Each call to the processor: our recorded state beside the one that the processor reports. */
export function OperationList({ operations, answers }: OperationListProps) {
  return (
    <ul className="divide-y">
      {operations.map((operation) => (
        <li key={operation.id} className="flex flex-col gap-2 px-4 py-3 text-[13px]">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h3 className="font-medium">{OPERATION_WORDS[operation.kind]}</h3>
            <Money amount={operation.amount} currency={operation.currency} />
            <PlainStatus status={operation.state} />
            <Time at={operation.createdAt} className="ml-auto text-soft text-xs" />
          </div>
          {operation.state === "open" && <OpenOperation operation={operation} />}
          <Facts
            columns={2}
            items={[
              { term: "Last response", value: operation.lastAnswer },
              { term: "At the processor", value: answers[operation.id] },
              { term: "Attempts", value: operation.attempts },
              { term: "Epoch", value: operation.epoch },
              { term: "Lease until", value: <Time at={operation.leaseUntil} /> },
              { term: "Completed", value: operation.completedAt && <Time at={operation.completedAt} /> },
              ...(operation.unknownAt ? [{ term: "Unknown since", value: <Time at={operation.unknownAt} /> }] : []),
              ...(operation.acceptedAt ? [{ term: "Accepted", value: <Time at={operation.acceptedAt} /> }] : []),
              ...(operation.detail ? [{ term: "Detail", value: operation.detail }] : []),
              {
                term: "Reference",
                value: <CopyId id={operation.id} label="Copy the processor’s reference" />,
              },
              {
                term: "Idempotency key",
                value: operation.idempotencyKey && (
                  <CopyId id={operation.idempotencyKey} label="Copy idempotency key" />
                ),
              },
              {
                term: "Request",
                value: operation.requestId && <CopyId id={operation.requestId} short label="Copy request id" />,
              },
            ]}
          />
        </li>
      ))}
    </ul>
  );
}

function OpenOperation({ operation }: { operation: SupportOperation }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-md bg-amber-ground px-3 py-2">
      <p className="min-w-0">
        {operation.held ? (
          "Checking now."
        ) : operation.waits ? (
          "Needs you: it is over a day old and no longer checked automatically."
        ) : operation.nextAttemptAt ? (
          <>
            Next automatic check <Time at={operation.nextAttemptAt} style="relative" />.
          </>
        ) : null}
      </p>
      <CheckStatus operationId={operation.id} refresh />
    </div>
  );
}

const STYLES: Record<ProcessorStatus["kind"], { tone: Tone; label: string }> = {
  approved: { tone: "green", label: "Approved" },
  declined: { tone: "red", label: "Declined" },
  action_required: { tone: "amber", label: "Action required" },
  pending: { tone: "amber", label: "Pending" },
  not_found: { tone: "amber", label: "Not found" },
  not_sent: { tone: "neutral", label: "Not sent" },
  unknown: { tone: "amber", label: "No clear response" },
  none: { tone: "neutral", label: "No processor" },
};

/** The processor's report on an operation; null if not queried, because only the newest are. */
export function ReportedStatus({ answer }: { answer: ProcessorStatus | null }) {
  if (answer === null) return <span className="text-soft">Not checked: only the latest operations are.</span>;
  const { tone, label } = STYLES[answer.kind];
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Badge tone={tone}>{label}</Badge>
      {answer.text && <span className="text-soft">{answer.text}</span>}
    </span>
  );
}
