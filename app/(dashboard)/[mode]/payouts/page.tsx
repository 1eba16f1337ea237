import { Landmark } from "lucide-react";
import type { Metadata } from "next";
import type { ReactNode } from "react";
import { PageFilters } from "@/components/lists/page-filters";
import { ExportButton } from "@/components/reporting/export-button";
import { NextPayouts } from "@/components/settlement/next-payouts";
import { BankAccountButton } from "@/components/settlement/payout-actions";
import { PayoutTable } from "@/components/settlement/payout-list";
import { SettlementTabs } from "@/components/settlement/settlement-tabs";
import { statusLabel } from "@/components/ui/badge";
import { EmptyState, NoMatches, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { oneOfRow } from "@/lib/contract/lists/filters";
import type { CurrencyBalance } from "@/lib/contract/settlement/balance";
import { listPayoutsQuery } from "@/lib/contract/settlement/endpoints";
import { PAYOUT_STATUSES } from "@/lib/contract/settlement/payout";
import { getBalance } from "@/lib/domain/settlement/balance";
import { listNextPayouts, listPayingProcessors } from "@/lib/domain/settlement/next-payouts";
import { getBankAccount, listPayouts } from "@/lib/domain/settlement/payouts";
import { dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Payouts" };

const FILTERS = [
  oneOfRow(
    "status",
    "Status",
    PAYOUT_STATUSES,
    Object.fromEntries(PAYOUT_STATUSES.map((each) => [each, statusLabel(each)])),
  ),
];

const currencyRow = (balances: readonly CurrencyBalance[]) =>
  oneOfRow(
    "currency",
    "Currency",
    balances.map(({ currency }) => currency),
  );

type PayoutsPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function PayoutsPage({ params, searchParams }: PayoutsPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("balance.read")) return <NoPermission what="payouts" />;
  const path = `/${page.mode}/payouts`;
  const account = page.can("settings.manage") ? await getBankAccount(page.ctx) : null;
  const headerWith = (exporting: ReactNode) => (
    <>
      <PageHeader
        title="Payouts"
        description={
          page.mode === "test"
            ? "Each batch is paid to your bank account on the next bank day after it settles."
            : "In live mode, your processor pays you out directly."
        }
        actions={
          <>
            {exporting}
            {account && <BankAccountButton account={account} mode={page.mode} />}
          </>
        }
      />
      <SettlementTabs mode={page.mode} current="payouts" />
    </>
  );
  const query = listPayoutsQuery.safeParse(await searchParams);
  if (!query.success) {
    return (
      <>
        {headerWith(null)}
        <WrongFilter what="payouts" path={path} issues={query.error.issues} />
      </>
    );
  }
  const [payouts, { currencies }, processors] = await Promise.all([
    listPayouts(page.ctx, query.data),
    getBalance(page.ctx),
    listPayingProcessors(page.ctx),
  ]);
  const next = (
    <NextPayouts payouts={await listNextPayouts(page.ctx, currencies)} mode={page.mode} processors={processors} />
  );
  const { status, currency } = query.data;
  const href = withFilters(path, { status, currency });
  if (payouts.total === 0 && status === undefined && currency === undefined) {
    return (
      <>
        {headerWith(null)}
        {next}
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
      {headerWith(
        <ExportButton
          address={withFilters(`${path}/export`, { status, currency })}
          noun="payout"
          total={payouts.total}
          totalCapped={payouts.total_capped}
        />,
      )}
      {next}
      <PageFilters
        path={path}
        what="payouts"
        rows={currencies.length > 1 ? [...FILTERS, currencyRow(currencies)] : FILTERS}
        values={{ status, currency }}
      />
      {payouts.data.length === 0 ? (
        <NoMatches what="payouts" path={path} first={href} total={payouts.total} />
      ) : (
        <PayoutTable payouts={payouts.data} mode={page.mode} />
      )}
      <PageLinks what="payouts" page={payouts} href={href} />
    </>
  );
}
