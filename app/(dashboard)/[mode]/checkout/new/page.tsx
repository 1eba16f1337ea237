import type { Metadata } from "next";
import { NewSession } from "@/components/checkout/new-session";
import { EmptyState } from "@/components/ui/empty-state";
import { currencyOptions } from "@/lib/contract/format";
import { listClientSessions } from "@/lib/domain/checkout/client-sessions";
import { listPlanOptions } from "@/lib/domain/plans/plans";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "New session" };

type NewSessionPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<{ plan?: string | string[] }>;
};

export default async function NewSessionPage({ params, searchParams }: NewSessionPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("client_session.create")) {
    return <EmptyState page kind="no-permission" what="the form for sessions" />;
  }
  const { plan: wanted } = await searchParams;
  const [plans, newest] = await Promise.all([
    page.can("subscription_plan.read") ? listPlanOptions(page.ctx, "ONE_TIME") : [],
    listClientSessions(page.ctx, {}),
  ]);
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
