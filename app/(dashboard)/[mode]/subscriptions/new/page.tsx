import { Repeat } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { AddSubscriber } from "@/components/subscriptions/add-subscriber";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { listPlans } from "@/lib/domain/plans/plans";
import { dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Add subscriber" };

type NewSubscriptionPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function NewSubscriptionPage({ params, searchParams }: NewSubscriptionPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("subscription.write")) return <EmptyState kind="no-permission" what="the form for new subscribers" />;
  const given = await searchParams;
  const text = (name: string) => (typeof given[name] === "string" ? given[name] : "");
  const { data } = await listPlans(page.ctx, { status: "ACTIVE", limit: 100 });
  const plans = data.filter(({ type }) => type !== "ONE_TIME");
  return (
    <>
      <PageHeader title="Add subscriber" crumbs={[{ label: "Subscriptions", href: `/${page.mode}/subscriptions` }]} />
      {plans.length === 0 ? (
        <EmptyState
          icon={<Repeat aria-hidden="true" />}
          title="No plan to subscribe to"
          description="A subscriber needs an active plan with a billing interval."
          actions={
            <Link href={`/${page.mode}/plans/new`} className={buttonStyles({ variant: "primary" })}>
              New plan
            </Link>
          }
        />
      ) : (
        <AddSubscriber plans={plans} planId={text("plan")} customerId={text("customer")} email={text("email")} />
      )}
    </>
  );
}
