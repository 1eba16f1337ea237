import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { PlanEditor } from "@/components/plans/plan-editor";
import { PlanView } from "@/components/plans/plan-preview";
import { NoPermission } from "@/components/ui/empty-state";
import { AppError } from "@/lib/contract/errors";
import { currencyOptions } from "@/lib/contract/format";
import type { Plan } from "@/lib/contract/plans/plan";
import { dateIn } from "@/lib/contract/plans/schedule";
import { getPlan } from "@/lib/domain/plans/plans";
import { type DashboardPage, dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Plan" };

type PlanPageProps = { params: Promise<{ mode: string; id: string }> };

export default async function PlanPage({ params }: PlanPageProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("subscription_plan.read")) return <NoPermission what="plans" />;
  const plan = await findPlan(page, id);
  if (plan === null) notFound();
  const today = dateIn(page.merchant.timeZone, page.ctx.service.clock.now());
  if (!page.can("subscription_plan.write")) return <PlanView plan={plan} mode={page.mode} today={today} />;
  return <PlanEditor key={plan.id} plan={plan} mode={page.mode} today={today} currencies={currencyOptions()} />;
}

async function findPlan(page: DashboardPage, id: string): Promise<Plan | null> {
  try {
    return await getPlan(page.ctx, { id });
  } catch (error) {
    if (error instanceof AppError && error.code === "resource_not_found") return null;
    throw error;
  }
}
