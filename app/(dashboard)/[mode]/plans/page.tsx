import { Repeat } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import type { ReactNode } from "react";
import { PageFilters } from "@/components/lists/page-filters";
import { PlanTable } from "@/components/plans/plan-table";
import { EmptyState, NoMatches, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { buttonStyles } from "@/components/ui/styles";
import { oneOfRow } from "@/lib/contract/lists/filters";
import { listPlansQuery, PLAN_STATUSES } from "@/lib/contract/plans/plan";
import { PLAN_TYPE_LABELS } from "@/lib/contract/plans/schedule";
import { listPlans } from "@/lib/domain/plans/plans";
import { dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Plans" };

type PlansPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function PlansPage({ params, searchParams }: PlansPageProps) {
  const page = await dashboardPage((await params).mode);
  const path = `/${page.mode}/plans`;
  const canWrite = page.can("subscription_plan.write");
  if (!page.can("subscription_plan.read")) return <NoPermission what="plans" />;
  const create = canWrite && (
    <Link href={`${path}/new`} className={buttonStyles({ variant: "primary" })}>
      New plan
    </Link>
  );
  const header = (
    <PageHeader
      title="Plans"
      description="What your customers can buy, what it costs and when they pay."
      actions={create}
    />
  );

  const query = listPlansQuery.safeParse(await searchParams);
  if (!query.success) {
    return (
      <>
        {header}
        <WrongFilter what="plans" path={path} issues={query.error.issues} />
      </>
    );
  }
  const { status = null, type = null } = query.data;
  const plans = await listPlans(page.ctx, query.data);
  const href = withFilters(path, { status, type, limit: query.data.limit?.toString() });
  if (plans.total === 0 && status === null && type === null) {
    return (
      <>
        <PageHeader title="Plans" />
        <FirstPlan baseUrl={page.ctx.service.baseUrl} create={create} />
      </>
    );
  }
  return (
    <>
      {header}
      <PageFilters path={path} what="plans" rows={FILTERS} values={{ status, type }} />
      {plans.data.length === 0 ? (
        <NoMatches what="plans" path={path} first={href} total={plans.total} />
      ) : (
        <PlanTable plans={plans.data} path={path} />
      )}
      <PageLinks what="plans" page={plans} href={href} />
    </>
  );
}

const FILTERS = [
  oneOfRow("status", "Status", PLAN_STATUSES),
  oneOfRow("type", "Type", Object.keys(PLAN_TYPE_LABELS), PLAN_TYPE_LABELS),
];

function FirstPlan({ baseUrl, create }: { baseUrl: string; create: ReactNode }) {
  return (
    <EmptyState
      icon={<Repeat aria-hidden="true" />}
      title="No plans yet"
      description="A plan is a price and a schedule: one-time or recurring, with or without a trial. Payments and client sessions refer to it by id."
      curlTitle="Create your first plan"
      curl={curl(baseUrl)}
      actions={create}
    />
  );
}

const curl = (baseUrl: string) => `curl -X POST ${baseUrl}/v1/subscription-plans \\
  -H "X-Api-Key: $CARDLANE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "type": "SUBSCRIPTION_FREE_TRIAL",
    "name": "Pro",
    "currency": "EUR",
    "full_price_amount": 19.99,
    "billing_frequency_value": 1,
    "billing_frequency_unit": "MONTHS",
    "trial_period_value": 14,
    "trial_period_unit": "DAYS"
  }'`;
