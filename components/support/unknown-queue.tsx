import { CircleCheck } from "lucide-react";
import Link from "next/link";
import { Badge } from "@/components/ui/badge";
import { Money } from "@/components/ui/card";
import { EmptyState } from "@/components/ui/empty-state";
import { Time } from "@/components/ui/time";
import type { UnknownOutcome, UnknownOutcomeList } from "@/lib/contract/support/endpoints";
import { RefreshButton } from "./buttons";
import { CheckStatus } from "./check-status";
import { ModeBadge, OPERATION_WORDS } from "./labels";

/**
 * Operations with an unknown outcome. A row stays in place after a status check, so that its result can be
 * read.
 */
export function UnknownQueue({ list: { outcomes, total, waiting } }: { list: UnknownOutcomeList }) {
  if (outcomes.length === 0) {
    return (
      <EmptyState
        icon={<CircleCheck aria-hidden="true" />}
        title="Every outcome is known"
        description="Every operation has a final response from the processor."
        actions={<RefreshButton />}
      />
    );
  }
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3 text-[13px]">
        <output>
          {total === 1 ? "1 operation" : `${total} operations`}, {waiting} of them waiting for staff.
        </output>
        <RefreshButton />
      </div>
      <ul className="divide-y rounded-lg border">
        {outcomes.map((outcome) => (
          <Row key={outcome.operationId} outcome={outcome} />
        ))}
      </ul>
    </>
  );
}

function Row({ outcome }: { outcome: UnknownOutcome }) {
  const { kind, paymentId, merchant, mode, amount, currency, attempts, lastAnswer, createdAt, operationId } = outcome;
  return (
    <li
      data-operation={operationId}
      className="grid gap-x-6 gap-y-2 px-4 py-3 text-[13px] md:grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)_minmax(0,1fr)]"
    >
      <div className="min-w-0">
        <p className="font-medium">
          {OPERATION_WORDS[kind]} <Money amount={amount} currency={currency} />
        </p>
        <p className="flex flex-wrap items-center gap-x-2">
          <Link
            href={`/support/merchants/${merchant.id}?mode=${mode}`}
            prefetch={false}
            className="min-w-0 truncate leading-6 hover:underline"
          >
            {merchant.name}
          </Link>
          <ModeBadge mode={mode} />
        </p>
        <Link
          href={`/support/payments/${paymentId}`}
          prefetch={false}
          className="block truncate font-mono text-accent text-xs leading-6 hover:underline"
        >
          {paymentId}
        </Link>
      </div>
      <div className="min-w-0">
        <p>
          Began <Time at={createdAt} style="relative" />, {attempts === 1 ? "1 attempt" : `${attempts} attempts`}
        </p>
        <p className="text-soft [overflow-wrap:anywhere]">{lastAnswer ?? "The processor never responded."}</p>
      </div>
      <div className="flex min-w-0 flex-col items-start gap-1.5 md:items-end">
        <p className="text-soft">
          <Next outcome={outcome} />
        </p>
        <CheckStatus operationId={operationId} />
      </div>
    </li>
  );
}

function Next({ outcome: { held, nextAttemptAt } }: { outcome: UnknownOutcome }) {
  if (held) return <>Being checked now</>;
  if (nextAttemptAt === null) return <Badge tone="red">Waiting for staff</Badge>;
  return (
    <>
      Checked again <Time at={nextAttemptAt} style="relative" />
    </>
  );
}
