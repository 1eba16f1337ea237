import { Scale } from "lucide-react";
import Link from "next/link";
import { ResultBadge } from "@/components/processors/reconciliation";
import { EmptyState } from "@/components/ui/empty-state";
import { Time } from "@/components/ui/time";
import type { SupportConnection } from "@/lib/contract/processors/reconciliation";
import { ModeBadge } from "./labels";

/** All connections with the result of their latest comparison. */
export function ConnectionList({ connections }: { connections: readonly SupportConnection[] }) {
  if (connections.length === 0) {
    return (
      <EmptyState
        icon={<Scale aria-hidden="true" />}
        title="No processor is connected"
        description="Merchants connect theirs under Settings → Processors; an operator can set one for all of them."
      />
    );
  }
  return (
    <ul className="divide-y rounded-lg border">
      {connections.map(({ id, label, mode, merchant, last }) => (
        <li
          key={id}
          className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-[13px] hover:bg-raised"
        >
          <div className="min-w-0 flex-1 basis-60">
            <Link
              href={`/support/reconciliation/${id}`}
              prefetch={false}
              className="font-medium after:absolute after:inset-0"
            >
              {label}
            </Link>
            <p className="flex flex-wrap items-center gap-x-2 text-soft">
              {merchant?.name ?? "The operator’s, for all merchants without one"} <ModeBadge mode={mode} />
            </p>
          </div>
          {last === null ? (
            <span className="text-soft">Never compared</span>
          ) : (
            <>
              <span className="text-soft">
                Up to <Time at={last.until} />
              </span>
              <ResultBadge run={{ ...last, unchecked: { length: last.unchecked } }} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
