import { cn } from "@/components/ui/class-names";
import { StatusBadge } from "@/components/ui/status-badge";
import { sessionHint } from "@/lib/client/checkout/session-text";
import type { SessionListItem } from "@/lib/contract/dashboard/checkout";

type SessionStatusProps = {
  session: Pick<SessionListItem, "status" | "under_way" | "attempts">;
  className?: string;
};

/** The status, and what it does not say: that a payment is under way, or no try is left. */
export function SessionStatus({ session, className }: SessionStatusProps) {
  const hint = sessionHint(session);
  return (
    <span className={cn("inline-flex flex-wrap items-center gap-x-2 gap-y-0.5", className)}>
      <StatusBadge status={session.status} />
      {hint && <span className="whitespace-nowrap text-amber text-xs">{hint}</span>}
    </span>
  );
}
