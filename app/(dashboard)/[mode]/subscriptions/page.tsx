import type { Metadata } from "next";
import { SubscriptionsView } from "@/components/subscriptions/subscriptions-view";
import { NoPermission } from "@/components/ui/empty-state";
import { parseSubscriptions } from "@/lib/contract/subscriptions/list";
import { listPlans } from "@/lib/domain/plans/plans";
import { listOwnCurrencies } from "@/lib/domain/reporting/overview";
import { searchSubscriptionTable } from "@/lib/domain/subscriptions/search-subscriptions";
import { addressParams, dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Subscriptions" };

type SubscriptionsPageProps = { params: Promise<{ mode: string }>; searchParams: Promise<SearchParams> };

export default async function SubscriptionsPage({ params, searchParams }: SubscriptionsPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("subscription.read")) return <NoPermission what="subscriptions" />;
  const given = addressParams(await searchParams);
  const { query, problems } = parseSubscriptions(given);
  const [list, currencies, plans] = await Promise.all([
    searchSubscriptionTable(page.ctx, query, page.merchant.timeZone),
    listOwnCurrencies(page.ctx),
    listPlans(page.ctx, { limit: 100 }),
  ]);
  return (
    <SubscriptionsView
      list={list}
      query={query}
      problems={problems}
      view={given.find(([name]) => name === "view")?.[1] ?? null}
      currencies={currencies}
      plans={plans.data.filter(({ type }) => type !== "ONE_TIME").map(({ id, name }) => ({ value: id, label: name }))}
      apiUrl={page.ctx.service.baseUrl}
    />
  );
}
