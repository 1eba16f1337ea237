import { actionText } from "@/components/settings/activity-text";
import { Time } from "@/components/ui/time";
import type { OwnAct } from "@/lib/contract/support/merchant-view";

/** What a merchant's own people did with the account: keys, settings, team. */
export function OwnActList({ acts }: { acts: readonly OwnAct[] }) {
  if (acts.length === 0) return <p className="p-4 text-[13px] text-soft">Nothing yet.</p>;
  return (
    <ul className="divide-y">
      {acts.map((act) => (
        <li key={act.id} className="px-4 py-2 text-[13px]">
          <p className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span className="font-medium">{actionText(act.action)}</span>
            <Time at={act.at} className="text-soft text-xs" />
          </p>
          <p className="text-soft text-xs [overflow-wrap:anywhere]">{act.actor}</p>
        </li>
      ))}
    </ul>
  );
}
