"use client";

import { CalendarSync } from "lucide-react";
import Link from "next/link";
import { listFilters } from "@/components/lists/filter-bar";
import { type ListKind, ListView, sortLabels } from "@/components/lists/list-view";
import { builtInViews } from "@/components/lists/view-tabs";
import { EmptyState } from "@/components/ui/empty-state";
import { missingPart } from "@/components/ui/missing-part";
import { buttonStyles } from "@/components/ui/styles";
import { useDashboard } from "@/lib/client/dashboard-context";
import type { FilterOptions } from "@/lib/client/lists/filter-chips";
import type { QueryProblem } from "@/lib/contract/lists/address";
import {
  FIRST_SUBSCRIPTIONS,
  formatSubscriptions,
  type ListedSubscriptions,
  SUBSCRIPTION_FILTER_ROWS,
  SUBSCRIPTION_LIST,
  type SubscriptionQuery,
} from "@/lib/contract/subscriptions/list";
import { SubscriptionTable } from "./subscription-table";

const SUBSCRIPTIONS: ListKind = {
  noun: "subscription",
  spec: SUBSCRIPTION_LIST,
  filters: listFilters(
    SUBSCRIPTION_FILTER_ROWS,
    () => import("./filter-form").then((module) => module.SubscriptionFilterForm, missingPart),
    sortLabels(SUBSCRIPTION_LIST),
  ),
  builtIn: builtInViews(FIRST_SUBSCRIPTIONS, formatSubscriptions, {
    All: {},
    Active: { status: ["ACTIVE"] },
    Trials: { status: ["TRIALING"] },
    "Past due": { status: ["PAST_DUE"] },
    Paused: { status: ["PAUSED"] },
    Ended: { status: ["CANCELLED", "EXPIRED"] },
  }),
  placeholder: "Name, e-mail, customer or subscription id",
};

type SubscriptionsViewProps = {
  list: ListedSubscriptions;
  query: SubscriptionQuery;
  view: string | null;
  problems: readonly QueryProblem[];
  /** The merchant's currencies, most used first. */
  currencies: readonly string[];
  plans: FilterOptions[string];
  /** Public address of the API, for the first curl. */
  apiUrl: string;
};

/** Searches and lists subscriptions. */
export function SubscriptionsView({ plans, apiUrl, ...props }: SubscriptionsViewProps) {
  return (
    <ListView
      {...props}
      kind={SUBSCRIPTIONS}
      options={{ plan_id: plans }}
      actions={<AddSubscriberLink />}
      firstUse={<FirstUse apiUrl={apiUrl} />}
    >
      {(sorting) => <SubscriptionTable rows={props.list.data} {...sorting} />}
    </ListView>
  );
}

function AddSubscriberLink() {
  const { mode, can } = useDashboard();
  if (!can("subscription.write")) return null;
  return (
    <Link href={`/${mode}/subscriptions/new`} className={buttonStyles({ variant: "primary" })}>
      Add subscriber
    </Link>
  );
}

function FirstUse({ apiUrl }: Pick<SubscriptionsViewProps, "apiUrl">) {
  const { mode } = useDashboard();
  return (
    <EmptyState
      icon={<CalendarSync aria-hidden="true" />}
      title={mode === "test" ? "No subscriptions yet" : "No live subscriptions yet"}
      description="A subscription charges a customer’s card for a plan, every period, until it is cancelled. Add a subscriber here, or create one with the API."
      curlTitle="Create a subscription"
      curl={curl(mode, apiUrl)}
      actions={
        <>
          <AddSubscriberLink />
          <Link href={`/${mode}/plans`} className={buttonStyles()}>
            View plans
          </Link>
        </>
      }
    />
  );
}

const curl = (mode: string, apiUrl: string) => `curl ${apiUrl}/v1/subscriptions \\
  -H "X-Api-Key: sk_${mode}_…" \\
  -H "X-Idempotency-Key: subscribe-1001" \\
  -H "Content-Type: application/json" \\
  -d '{"plan_id": "plan_…", "customer_id": "cus_1001", "payment_method_id": "pm_…"}'`;
