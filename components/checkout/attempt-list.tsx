import { CreditCard } from "lucide-react";
import Link from "next/link";
import { Card } from "@/components/ui/card";
import { Money } from "@/components/ui/money";
import { StatusBadge } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import { cardText } from "@/lib/client/card-text";
import type { SessionAttempt, SessionDetail } from "@/lib/contract/dashboard/checkout";
import type { Mode } from "@/lib/contract/transaction-words";

/** The cards that were tried, newest first, each with the way to its payment. */
export function AttemptList({ detail, mode }: { detail: SessionDetail; mode: Mode }) {
  const { attempts, session } = detail;
  return (
    <Card title="Attempts" flush actions={<TriesLeft left={session.attempts_left} open={session.status === "OPEN"} />}>
      {attempts.length === 0 ? (
        <p className="flex items-center gap-2.5 px-4 py-6 text-[13px] text-soft">
          <CreditCard aria-hidden="true" className="size-4 shrink-0" />
          {session.status === "OPEN"
            ? "No card has been tried yet. It appears here as soon as one is."
            : "No card was tried."}
        </p>
      ) : (
        <ol className="divide-y">
          {attempts.map((attempt) => (
            <Attempt key={attempt.id} attempt={attempt} mode={mode} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function TriesLeft({ left, open }: { left: number; open: boolean }) {
  if (!open) return null;
  return (
    <span className={left === 0 ? "text-[13px] text-amber" : "text-[13px] text-soft"}>
      {left === 0 ? "No tries left" : `${left} of 5 tries left`}
    </span>
  );
}

function Attempt({ attempt, mode }: { attempt: SessionAttempt; mode: Mode }) {
  const { decline } = attempt;
  return (
    <li className="relative flex flex-col gap-0.5 px-4 py-2.5 text-[13px] hover:bg-raised">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link
          href={`/${mode}/payments/${attempt.payment_id}`}
          className="font-medium after:absolute after:inset-0"
          aria-label={`Payment with ${cardText(attempt.card_brand, attempt.card_last4)}`}
        >
          {cardText(attempt.card_brand, attempt.card_last4)}
        </Link>
        <StatusBadge status={attempt.status} />
        <Money amount={attempt.amount} currency={attempt.currency} className="ml-auto" />
      </div>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 text-soft">
        <p className="min-w-0 flex-1">{decline && `${decline.meaning} ${decline.advice}`}</p>
        <span className="relative">
          <Time at={attempt.created_at} className="text-xs" />
        </span>
      </div>
    </li>
  );
}
