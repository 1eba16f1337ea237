import { Landmark } from "lucide-react";
import type { Metadata } from "next";
import { BankAccountButton } from "@/components/settlement/payout-actions";
import { PayoutTable } from "@/components/settlement/payout-list";
import { FilterLinks, SettlementTabs } from "@/components/settlement/settlement-tabs";
import { statusLabel } from "@/components/ui/badge";
import { EmptyState, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { listPayoutsQuery } from "@/lib/contract/settlement/endpoints";
import { PAYOUT_STATUSES } from "@/lib/contract/settlement/payout";
import { getBankAccount, listPayouts } from "@/lib/domain/settlement/payouts";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Payouts" };

type PayoutsPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function PayoutsPage({ params, searchParams }: PayoutsPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("balance.read")) return <NoPermission what="payouts" />;
  const path = `/${page.mode}/payouts`;
  const account = page.can("settings.manage") ? await getBankAccount(page.ctx) : null;
  const header = (
    <>
      <PageHeader
        title="Payouts"
        description={
          page.mode === "test"
            ? "Each batch is paid to your bank account the day after it settles."
            : "In live mode, your processor pays you out directly."
        }
        actions={account && <BankAccountButton account={account} mode={page.mode} />}
      />
      <SettlementTabs mode={page.mode} current="payouts" />
    </>
  );
  const query = listPayoutsQuery.safeParse(await searchParams);
  if (!query.success) {
    return (
      <>
        {header}
        <WrongFilter what="payouts" path={path} issues={query.error.issues} />
      </>
    );
  }
  const payouts = await listPayouts(page.ctx, query.data);
  const { status } = query.data;
  if (payouts.total === 0 && status === undefined) {
    return (
      <>
        {header}
        <EmptyState
          icon={<Landmark aria-hidden="true" />}
          title="No payouts yet"
          description={
            page.mode === "test"
              ? "Payments captured today settle tonight and are then paid out."
              : "Your account at the processor shows what it paid out to your bank."
          }
        />
      </>
    );
  }
  return (
    <>
      {header}
      <FilterLinks
        label="Status"
        links={[undefined, ...PAYOUT_STATUSES].map((value) => ({
          label: value ? statusLabel(value) : "All",
          href: withFilters(path, { status: value }),
          current: status === value,
        }))}
      />
      {payouts.data.length === 0 ? (
        <EmptyState
          kind="no-results"
          what="payouts"
          filters={status ? [`Status: ${statusLabel(status)}`] : []}
          path={path}
        />
      ) : (
        <PayoutTable payouts={payouts.data} mode={page.mode} />
      )}
      <PageLinks what="payouts" page={payouts} href={withFilters(path, { status })} />
    </>
  );
}
