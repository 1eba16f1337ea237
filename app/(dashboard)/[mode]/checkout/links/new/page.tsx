import type { Metadata } from "next";
import { NewLink } from "@/components/checkout/new-link";
import { EmptyState } from "@/components/ui/empty-state";
import { currencyOptions } from "@/lib/contract/format";
import { listPaymentLinks } from "@/lib/domain/checkout/payment-links";
import { listPlanOptions } from "@/lib/domain/plans/plans";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "New payment link" };

type NewLinkPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<{ plan?: string | string[] }>;
};

export default async function NewLinkPage({ params, searchParams }: NewLinkPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("client_session.create")) {
    return <EmptyState page kind="no-permission" what="the form for payment links" />;
  }
  const { plan: wanted } = await searchParams;
  const [plans, newest] = await Promise.all([
    page.can("subscription_plan.read") ? listPlanOptions(page.ctx, null) : [],
    listPaymentLinks(page.ctx, {}),
  ]);
  return (
    <NewLink
      mode={page.mode}
      planId={plans.find(({ id }) => id === wanted)?.id ?? null}
      plans={plans}
      currency={newest.data[0]?.currency ?? "USD"}
      currencies={currencyOptions()}
    />
  );
}
