import { Ban, Check, Clock, type LucideIcon, Plus, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { Actor } from "@/components/payments/actor";
import { cn } from "@/components/ui/class-names";
import { Time } from "@/components/ui/time";
import type { SessionDetail } from "@/lib/contract/dashboard/checkout";

/** How the session began and ended, or will end. */
export function SessionHistory({ detail }: { detail: SessionDetail }) {
  const { session, created_by: by } = detail;
  return (
    <ol aria-label="History" className="flex flex-col">
      <Entry icon={Plus} tone="bg-blue-ground text-blue" title="Created" at={session.created_at}>
        {by && (
          <>
            By <Actor actor={by} />
          </>
        )}
      </Entry>
      <End detail={detail} />
    </ol>
  );
}

function End({ detail }: { detail: SessionDetail }) {
  const { session, cancelled, open_payment_id } = detail;
  if (open_payment_id !== null) {
    return (
      <Entry icon={RefreshCw} tone="bg-amber-ground text-amber" title="Payment under way" last>
        Its outcome is not known yet. Until it is, the session takes no other card.
      </Entry>
    );
  }
  switch (session.status) {
    case "OPEN":
      return (
        <Entry icon={Clock} tone="bg-raised text-soft" title="Expires" at={session.expires_at} last>
          <Time at={session.expires_at} style="relative" />, unless it is paid or cancelled before.
        </Entry>
      );
    case "EXPIRED":
      return (
        <Entry icon={Clock} tone="bg-raised text-soft" title="Expired" at={session.expires_at} last>
          Nobody paid in time. Create another link if the customer still wants to.
        </Entry>
      );
    case "COMPLETED":
      return (
        <Entry icon={Check} tone="bg-green-ground text-green" title="Completed" at={session.updated_at} last>
          By the shopper’s payment.
        </Entry>
      );
    case "CANCELLED":
      return (
        <Entry icon={Ban} tone="bg-raised text-soft" title="Cancelled" at={cancelled?.at ?? session.updated_at} last>
          {cancelled && (
            <>
              By <Actor actor={cancelled.by} />
            </>
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
