"use client";

import Link from "next/link";
import type { Sorting } from "@/components/lists/list-view";
import { SortHeader } from "@/components/ui/data-table";
import { cn } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useTimeZone } from "@/lib/client/time-display";
import type { ListedSubscription } from "@/lib/contract/subscriptions/list";
import { nextText, planText, recurringText, SubscriptionBadge, subscriberText, subscriptionPath } from "./status";

/** Headings and rows. The classes place the cells of a phone's cards, as in the list of transactions. */
export function SubscriptionTable({ rows, ...sorting }: { rows: readonly ListedSubscription[] } & Sorting) {
  const { mode } = useDashboard();
  const zone = useTimeZone();
  return (
    <>
      <thead>
        <tr>
          <SortHeader {...sorting} field="customer_id" first="asc">
            Customer
          </SortHeader>
          <SortHeader {...sorting} field="status" first="asc">
            Status
          </SortHeader>
          <th scope="col">Plan</th>
          <th scope="col">Price</th>
          <SortHeader {...sorting} field="next_at" first="asc">
            Next
          </SortHeader>
          <SortHeader {...sorting} field="created_at">
            Created
          </SortHeader>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} className="relative">
            <td className="amount fill">
              <Link
                href={subscriptionPath(mode, row.id)}
                prefetch={false}
                className="truncate after:absolute after:inset-0"
              >
                {subscriberText(row, row.customer_name)}
              </Link>
            </td>
            <td className="status">
              <SubscriptionBadge status={row.status} />
            </td>
            <td className="customer fill">{planText(row)}</td>
            <td className="created_at tabular-nums">{recurringText(row)}</td>
            <td className={cn("card tabular-nums", row.status === "PAST_DUE" && "text-red")}>{nextText(row, zone)}</td>
            <td className="relative text-soft max-md:hidden!">
              <Time at={row.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </>
  );
}
