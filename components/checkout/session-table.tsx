import Link from "next/link";
import { StatusBadge } from "@/components/ui/badge";
import { Money } from "@/components/ui/card";
import { ColumnHeads } from "@/components/ui/page-links";
import { cn } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { MAX_SESSION_ATTEMPTS, sessionHint } from "@/lib/contract/checkout/attempts";
import { customerText } from "@/lib/contract/checkout/checkout";
import type { SessionListItem } from "@/lib/contract/checkout/endpoints";
import { oneOfRow } from "@/lib/contract/lists/filters";
import type { Mode } from "@/lib/contract/transactions/words";

const COLUMNS = [
  ["Amount", "w-36 pr-6 text-right"],
  ["Status", "w-52 pr-4"],
  ["Customer", "pr-4"],
  ["For", "pr-4 max-lg:hidden"],
  ["Attempts", "w-20 pr-4 max-md:hidden"],
  ["Created", "w-32 pr-4 max-lg:hidden"],
  ["Outcome", "w-32 max-md:hidden"],
] as const;

export const SESSION_FILTERS = [oneOfRow("status", "Status", ["OPEN", "COMPLETED", "EXPIRED", "CANCELLED"])];

/** A page of sessions; on narrow screens the amount's cell holds the rest. */
export function SessionTable({ sessions, mode }: { sessions: readonly SessionListItem[]; mode: Mode }) {
  return (
    <table className="w-full text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Client sessions, newest first</caption>
      <ColumnHeads columns={COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} mode={mode} />
        ))}
      </tbody>
    </table>
  );
}

/** The amount due now. */
export function SessionAmount({ session, className }: { session: SoldAmount; className?: string }) {
  const { amount, currency } = session;
  if (amount === null || currency === null) return <span className={className}>Card setup</span>;
  return <Money amount={amount} currency={currency} {...(className && { className })} />;
}
type SoldAmount = Pick<SessionListItem, "amount" | "currency">;

function SessionRow({ session, mode }: { session: SessionListItem; mode: Mode }) {
  const customer = customerText(session);
  return (
    <tr className="relative h-10 border-b hover:bg-raised">
      <td className="py-2 pr-6 align-middle sm:text-right">
        <Link href={`/${mode}/checkout/${session.id}`} className="font-medium after:absolute after:inset-0">
          <SessionAmount session={session} />
        </Link>
        <span className="mt-0.5 block text-soft [overflow-wrap:anywhere] sm:hidden">
          {[customer, boughtIn(session)].filter(Boolean).join(" · ") || "No customer"}
        </span>
        <span className="block text-soft text-xs sm:hidden">
          <Time at={session.created_at} />
        </span>
      </td>
      <td className="py-2 pr-4 align-middle max-sm:pr-0 max-sm:text-right">
        <SessionStatus session={session} className="max-sm:flex-col max-sm:items-end" />
      </td>
      <td className="py-2 pr-4 align-middle max-sm:hidden">
        <span className="block truncate" title={customer ?? undefined}>
          {customer ?? <span className="text-soft">–</span>}
        </span>
      </td>
      <td className="py-2 pr-4 align-middle text-soft max-lg:hidden">
        <span className="block truncate" title={boughtIn(session)}>
          {boughtIn(session) ?? "An amount"}
        </span>
      </td>
      <td className="py-2 pr-4 align-middle text-soft tabular-nums max-md:hidden">
        {session.attempts} of {MAX_SESSION_ATTEMPTS}
      </td>
      <td className="relative py-2 pr-4 align-middle text-soft max-lg:hidden">
        <Time at={session.created_at} />
      </td>
      <td className="relative py-2 align-middle text-soft max-md:hidden">
        <Outcome session={session} mode={mode} />
      </td>
    </tr>
  );
}

const boughtIn = ({ plan, link }: SessionListItem): string | undefined => plan?.name ?? link?.title;

/** The session's payment, or its expiry. */
function Outcome({ session, mode }: { session: SessionListItem; mode: Mode }) {
  const { status, payment_id, expires_at } = session;
  if (payment_id !== null) {
    return (
      <Link href={`/${mode}/payments/${payment_id}`} className="text-accent hover:underline">
        View payment
      </Link>
    );
  }
  switch (status) {
    case "OPEN":
      return (
        <>
          Expires <Time at={expires_at} style="relative" by="environment" />
        </>
      );
    case "EXPIRED":
      return <Time at={expires_at} style="relative" by="environment" />;
    case "COMPLETED":
    case "CANCELLED":
      return <span>–</span>;
    default:
      return status satisfies never;
  }
}

type SessionStatusProps = {
  session: Pick<SessionListItem, "status" | "under_way" | "attempts">;
  className?: string;
};

/** The status plus a payment in progress, or exhausted attempts. */
export function SessionStatus({ session, className }: SessionStatusProps) {
  const hint = sessionHint(session);
  return (
    <span className={cn("inline-flex flex-wrap items-center gap-x-2 gap-y-0.5", className)}>
      <StatusBadge status={session.status} />
      {hint && <span className="whitespace-nowrap text-amber text-xs">{hint}</span>}
    </span>
  );
}
