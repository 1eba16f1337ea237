import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { planText, subscriberText } from "@/components/subscriptions/status";
import { SubscriptionPage } from "@/components/subscriptions/subscription-page";
import { NoPermission } from "@/components/ui/empty-state";
import { getSubscriptionDetail } from "@/lib/domain/subscriptions/subscription-detail";
import { searchTransactionTable } from "@/lib/domain/transactions/read-transactions";
import { type DashboardPage, dashboardPage, orNull } from "@/lib/http/page";

type SubscriptionRouteProps = { params: Promise<{ mode: string; id: string }> };

export async function generateMetadata({ params }: SubscriptionRouteProps): Promise<Metadata> {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("subscription.read")) return { title: "Subscription" };
  const detail = await findDetail(page, id);
  if (detail === null) return { title: "Subscription not found" };
  return { title: `${subscriberText(detail.subscription)} · ${planText(detail.subscription)}` };
}

export default async function SubscriptionRoute({ params }: SubscriptionRouteProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("subscription.read")) return <NoPermission what="subscriptions" />;
  const detail = await findDetail(page, id);
  if (detail === null) notFound();
  const payments = page.can("transaction.search")
    ? await searchTransactionTable(page.ctx, {
        filters: { subscription_id: detail.subscription.id },
        sort: { field: "created_at", order: "desc" },
        limit: 10,
        offset: 0,
      })
    : null;
  return (
    <SubscriptionPage
      detail={detail}
      payments={payments?.data ?? null}
      canReadEvents={page.can("event.read")}
      mode={page.mode}
    />
  );
}

/** Cached because the page and its title both need it. */
const findDetail = cache((page: DashboardPage, id: string) => orNull(getSubscriptionDetail(page.ctx, { id })));
