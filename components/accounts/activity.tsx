import Link from "next/link";
import { objectHref } from "@/components/events/event-table";
import { Badge } from "@/components/ui/badge";
import { CopyId } from "@/components/ui/copy";
import { Time } from "@/components/ui/time";
import { type ActivityItem, actionText, activityDetails } from "@/lib/contract/accounts/activity";
import type { Mode } from "@/lib/contract/transactions/words";

const HEAD = "border-b px-4 py-2 text-left font-medium text-soft text-xs";
const CELL = "px-4 py-2.5 align-top max-sm:block max-sm:px-0 max-sm:py-0";

/** `mode`: of the page, for objects that belong to the account. */
export function ActivityList({ items, mode }: { items: ActivityItem[]; mode: Mode }) {
  return (
    <div className="rounded-lg border">
      <table className="w-full text-[13px] max-sm:block">
        <caption className="sr-only">Account activity, newest first</caption>
        <thead className="max-sm:sr-only">
          <tr>
            {["Time", "Who", "What"].map((name) => (
              <th key={name} scope="col" className={HEAD}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {items.map((item) => (
            <ActivityRow key={item.id} item={item} pageMode={mode} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ActivityRow({ item, pageMode }: { item: ActivityItem; pageMode: Mode }) {
  const { actor, action, at, mode, objectId } = item;
  const href = objectId && objectHref(objectId, mode ?? pageMode);
  return (
    <tr className="not-last:border-b max-sm:flex max-sm:flex-col max-sm:gap-1 max-sm:px-4 max-sm:py-3">
      <td className={`${CELL} w-36 text-soft max-sm:w-full`}>
        <Time at={at} />
      </td>
      <td className={`${CELL} w-48 [overflow-wrap:anywhere] max-sm:w-full`}>
        {actor.type === "staff" ? <Badge tone="violet">{actor.name}</Badge> : actor.name}
      </td>
      <td className={CELL}>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium">{actionText(action)}</span>
          {mode && <Badge tone={mode === "test" ? "amber" : "neutral"}>{mode === "test" ? "Test" : "Live"}</Badge>}
        </span>
        {activityDetails(item).map((line) => (
          <span key={line} className="block text-soft text-xs leading-5 [overflow-wrap:anywhere]">
            {line}
          </span>
        ))}
        {objectId && (
          <span className="flex items-center gap-x-3 text-xs">
            {href && (
              <Link href={href} prefetch={false} className="text-accent hover:underline">
                View
              </Link>
            )}
            <CopyId id={objectId} short className="text-soft" />
          </span>
        )}
      </td>
    </tr>
  );
}
