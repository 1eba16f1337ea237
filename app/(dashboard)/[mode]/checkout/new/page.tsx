import type { Metadata } from "next";
import { NewSession } from "@/components/checkout/new-session";
import type { PlanOption } from "@/components/checkout/plan-picker";
import { EmptyState } from "@/components/ui/empty-state";
import { currencyOptions } from "@/lib/contract/format";
import type { Plan } from "@/lib/contract/plans/plan";
import { termsOf } from "@/lib/contract/plans/schedule";
import { listClientSessions } from "@/lib/domain/checkout/client-sessions";
import { listPlans } from "@/lib/domain/plans/plans";
import { type DashboardPage, dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "New payment link" };

type NewSessionPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<{ plan?: string | string[] }>;
};

export default async function NewSessionPage({ params, searchParams }: NewSessionPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("client_session.create")) {
    return <EmptyState page kind="no-permission" what="the form for payment links" />;
  }
  const { plan: wanted } = await searchParams;
  const [plans, newest] = await Promise.all([sellablePlans(page), listClientSessions(page.ctx, {})]);
  return (
    <NewSession
      mode={page.mode}
      baseUrl={page.ctx.service.baseUrl}
      merchantName={page.merchant.name}
      planId={plans.find(({ id }) => id === wanted)?.id ?? null}
      plans={plans}
      currency={newest.data[0]?.currency ?? "USD"}
      currencies={currencyOptions()}
    />
  );
}

const PAGE = 100;
/** More than anybody looks through; the address takes any plan. */
const MAX_PLANS = 500;

/** The active one-time plans, newest first. */
async function sellablePlans(page: DashboardPage): Promise<PlanOption[]> {
  if (!page.can("subscription_plan.read")) return [];
  const plans: Plan[] = [];
  for (let more = true; more && plans.length < MAX_PLANS; ) {
    const found = await listPlans(page.ctx, { status: "ACTIVE", type: "ONE_TIME", limit: PAGE, offset: plans.length });
    plans.push(...found.data);
    more = found.has_more;
  }
  return plans.map((plan) => ({ id: plan.id, name: plan.name, amount: termsOf(plan).price, currency: plan.currency }));
}
