import { Ban, Check, Clock, CreditCard, type LucideIcon, Plus, RefreshCw } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { Actor } from "@/components/payments/request-list";
import { StatusBadge } from "@/components/ui/badge";
import { Card, Money } from "@/components/ui/card";
import { cn } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import type { SessionAttempt, SessionDetail } from "@/lib/contract/checkout/endpoints";
import { cardText } from "@/lib/contract/format";
import type { Mode } from "@/lib/contract/transactions/words";

/** Start and end of a session, or its expected end. */
export function SessionHistory({ detail }: { detail: SessionDetail }) {
  const { session, link, created_by: by } = detail;
  return (
    <ol aria-label="History" className="flex flex-col">
      <Entry icon={Plus} tone="bg-blue-ground text-blue" title="Created" at={session.created_at}>
        {link ? (
          "By a shopper who opened the payment link."
        ) : by ? (
          <>
            By <Actor actor={by} inSentence />
          </>
        ) : null}
      </Entry>
      <End detail={detail} />
    </ol>
  );
}

function End({ detail }: { detail: SessionDetail }) {
  const { session, cancelled, open_payment_id } = detail;
  if (detail.is_checking) {
    return (
      <Entry icon={RefreshCw} tone="bg-amber-ground text-amber" title="Card check in progress" last>
        The issuer hasn’t confirmed the card yet. Until it has, the session accepts no other card.
      </Entry>
    );
  }
  if (open_payment_id !== null) {
    return (
      <Entry icon={RefreshCw} tone="bg-amber-ground text-amber" title="Payment in progress" last>
        The outcome isn’t known yet. Until it is, the session accepts no other card.
      </Entry>
    );
  }
  switch (session.status) {
    case "OPEN":
      return (
        <Entry icon={Clock} tone="bg-raised text-soft" title="Expires" at={session.expires_at} last>
          <Time at={session.expires_at} style="relative" by="environment" />, unless it’s paid or cancelled first.
        </Entry>
      );
    case "EXPIRED":
      return (
        <Entry icon={Clock} tone="bg-raised text-soft" title="Expired" at={session.expires_at} last>
          {detail.link
            ? "It expired without a payment. The payment link creates another one when it’s opened again."
            : "The link expired without a payment. Create another one if the customer still wants to pay."}
        </Entry>
      );
    case "COMPLETED":
      return (
        <Entry icon={Check} tone="bg-green-ground text-green" title="Completed" at={session.updated_at} last>
          {session.payment_id !== null
            ? "The shopper paid."
            : session.subscription_id !== null && session.plan_id !== null
              ? "The shopper’s card was accepted, and the free trial began."
              : "The shopper’s card was accepted and stored."}
        </Entry>
      );
    case "CANCELLED":
      return (
        <Entry icon={Ban} tone="bg-raised text-soft" title="Cancelled" at={cancelled?.at ?? session.updated_at} last>
          {cancelled ? (
            <>
              By <Actor actor={cancelled.by} inSentence />
            </>
          ) : (
            detail.link && "Closed, so that its payment link could open a new one."
          )}
        </Entry>
      );
    default:
      return session.status satisfies never;
  }
}

type EntryProps = {
  icon: LucideIcon;
  tone: string;
  title: string;
  at?: string;
  last?: boolean;
  children: ReactNode;
};

function Entry({ icon: Icon, tone, title, at, last = false, children }: EntryProps) {
  return (
    <li className="relative flex gap-3 pb-5 last:pb-0">
      {!last && <span aria-hidden="true" className="absolute top-7 bottom-1 left-3 w-px bg-line" />}
      <span className={cn("flex size-6 shrink-0 items-center justify-center rounded-full", tone)}>
        <Icon aria-hidden="true" className="size-3.5" />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p className="font-medium">{title}</p>
          {at && <Time at={at} className="text-soft text-xs" />}
        </div>
        <p className="text-soft first-letter:uppercase">{children}</p>
      </div>
    </li>
  );
}

/** Attempts, newest first, each linked to its payment. */
export function SessionAttempts({ detail, mode }: { detail: SessionDetail; mode: Mode }) {
  const { attempts, session } = detail;
  return (
    <Card title="Attempts" flush actions={<TriesLeft left={session.attempts_left} open={session.status === "OPEN"} />}>
      {attempts.length === 0 ? (
        <p className="flex items-center gap-2.5 px-4 py-6 text-[13px] text-soft">
          <CreditCard aria-hidden="true" className="size-4 shrink-0" />
          {session.status === "OPEN" ? "No card has been tried yet. Attempts appear here." : "No card was tried."}
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
      {left === 0 ? "No attempts left" : `${left} of 5 attempts left`}
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
