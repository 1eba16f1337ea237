import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { PlanEditor } from "@/components/plans/plan-editor";
import { PlanView } from "@/components/plans/plan-preview";
import { PlanSubscribers } from "@/components/subscriptions/plan-subscribers";
import { NoPermission } from "@/components/ui/empty-state";
import { currencyOptions, titleId } from "@/lib/contract/format";
import { dateIn } from "@/lib/contract/plans/schedule";
import { FIRST_SUBSCRIPTIONS } from "@/lib/contract/subscriptions/list";
import { environmentNow } from "@/lib/domain/context";
import { getPlan } from "@/lib/domain/plans/plans";
import { countSubscribers, searchSubscriptionTable } from "@/lib/domain/subscriptions/search-subscriptions";
import { type DashboardPage, dashboardPage, orNull } from "@/lib/http/page";

type PlanPageProps = { params: Promise<{ mode: string; id: string }> };

export async function generateMetadata({ params }: PlanPageProps): Promise<Metadata> {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("subscription_plan.read")) return { title: "Plan" };
  const plan = await findPlan(page, id);
  return { title: plan === null ? "Plan not found" : `${plan.name} · ${titleId(plan.id)}` };
}

export default async function PlanPage({ params }: PlanPageProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("subscription_plan.read")) return <NoPermission what="plans" />;
  const plan = await findPlan(page, id);
  if (plan === null) notFound();
  const today = dateIn(page.merchant.timeZone, environmentNow(page.ctx));
  return (
    <>
      {page.can("subscription_plan.write") ? (
        <PlanEditor key={plan.id} plan={plan} mode={page.mode} today={today} currencies={currencyOptions()} />
      ) : (
        <PlanView plan={plan} mode={page.mode} today={today} />
      )}
      {plan.type !== "ONE_TIME" && page.can("subscription.read") && <Subscribers page={page} planId={plan.id} />}
    </>
  );
}

async function Subscribers({ page, planId }: { page: DashboardPage; planId: string }) {
  const query = { ...FIRST_SUBSCRIPTIONS, plan_id: planId };
  const [counts, { data }] = await Promise.all([
    countSubscribers(page.ctx, planId),
    searchSubscriptionTable(page.ctx, query, page.merchant.timeZone),
  ]);
  return <PlanSubscribers planId={planId} counts={counts} latest={data.slice(0, LATEST)} mode={page.mode} />;
}

const LATEST = 5;

/** Cached because the page and its title both need it. */
const findPlan = cache((page: DashboardPage, id: string) => orNull(getPlan(page.ctx, { id })));
