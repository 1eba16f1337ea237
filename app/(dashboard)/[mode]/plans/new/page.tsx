import type { Metadata } from "next";
import { NewPlan } from "@/components/plans/new-plan";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { currencyOptions } from "@/lib/contract/format";
import { dateIn } from "@/lib/contract/plans/schedule";
import { environmentNow } from "@/lib/domain/context";
import { listPlans } from "@/lib/domain/plans/plans";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "New plan" };

type NewPlanPageProps = { params: Promise<{ mode: string }> };

export default async function NewPlanPage({ params }: NewPlanPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("subscription_plan.write")) return <EmptyState kind="no-permission" what="the form for new plans" />;
  const newest = (await listPlans(page.ctx, { limit: 1 })).data[0];
  return (
    <>
      <PageHeader title="New plan" crumbs={[{ label: "Plans", href: `/${page.mode}/plans` }]} />
      <NewPlan
        mode={page.mode}
        today={dateIn(page.merchant.timeZone, environmentNow(page.ctx))}
        currency={newest?.currency ?? "USD"}
        currencies={currencyOptions()}
      />
    </>
  );
}
