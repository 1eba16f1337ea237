import Link from "next/link";
import { Card } from "@/components/ui/card";
import { Time } from "@/components/ui/time";
import { type ListedSubscription, subscriptionsHref } from "@/lib/contract/subscriptions/list";
import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";
import type { Mode } from "@/lib/contract/transactions/words";
import { recurringText, SubscriptionBadge, subscriberText, subscriptionPath } from "./status";

type PlanSubscribersProps = {
  planId: string;
  counts: ReadonlyMap<SubscriptionStatus, number>;
  latest: readonly ListedSubscription[];
  mode: Mode;
};

/** A plan's subscribers: counts by status, and the latest. */
export function PlanSubscribers({ planId, counts, latest, mode }: PlanSubscribersProps) {
  const all = subscriptionsHref(mode, { plan_id: planId });
  if (latest.length === 0) {
    return (
      <Card title="Subscribers" className="mt-8">
        <p className="text-soft">Nobody has subscribed to this plan yet.</p>
      </Card>
    );
  }
  return (
    <Card
      title="Subscribers"
      className="mt-8"
      flush
      actions={
        <Link href={all} className="text-accent text-xs hover:underline">
          All subscribers
        </Link>
      }
    >
      <ul aria-label="By status" className="flex flex-wrap gap-x-5 gap-y-2 border-b px-4 py-3 text-[13px]">
        {SUBSCRIPTION_STATUSES.filter((status) => counts.has(status)).map((status) => (
          <li key={status}>
            <Link
              href={subscriptionsHref(mode, { plan_id: planId, status: [status] })}
              className="flex items-center gap-2 hover:underline"
            >
              <SubscriptionBadge status={status} />
              <span className="tabular-nums">{counts.get(status)?.toLocaleString("en-US")}</span>
            </Link>
          </li>
        ))}
      </ul>
      <ul aria-label="Latest" className="divide-y text-[13px]">
        {latest.map((row) => (
          <li
            key={row.id}
            className="relative grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2 hover:bg-raised has-focus-visible:bg-raised sm:grid-cols-[1fr_7rem_12rem_7rem]"
          >
            <Link
              href={subscriptionPath(mode, row.id)}
              prefetch={false}
              className="min-w-0 truncate font-medium after:absolute after:inset-0"
            >
              {subscriberText(row, row.customer_name)}
            </Link>
            <span className="max-sm:text-right">
              <SubscriptionBadge status={row.status} />
            </span>
            <span className="text-soft tabular-nums">{recurringText(row)}</span>
            <Time at={row.created_at} style="date" className="relative text-right text-soft text-xs" />
          </li>
        ))}
      </ul>
    </Card>
  );
}
