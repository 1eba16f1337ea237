import { Wallet } from "lucide-react";
import type { Metadata } from "next";
import { PageFilters } from "@/components/lists/page-filters";
import { ExportButton } from "@/components/reporting/export-button";
import { MovementTable, StatementCard } from "@/components/settlement/balance-blocks";
import { FeeLine, NextPayouts } from "@/components/settlement/next-payouts";
import { FilterLinks, SettlementTabs } from "@/components/settlement/settlement-tabs";
import { EmptyState, NoMatches, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { oneOfRow } from "@/lib/contract/lists/filters";
import { dateIn } from "@/lib/contract/plans/schedule";
import { reportHref } from "@/lib/contract/reports/report-query";
import { MOVEMENT_TYPES } from "@/lib/contract/settlement/balance";
import { listMovementsQuery } from "@/lib/contract/settlement/endpoints";
import { MOVEMENT_LABELS } from "@/lib/contract/settlement/statement";
import { dayInstants } from "@/lib/contract/transactions/time-range";
import { environmentNow } from "@/lib/domain/context";
import { getBalance, getStatement, listMovements } from "@/lib/domain/settlement/balance";
import { getFee, listNextPayouts, listPayingProcessors } from "@/lib/domain/settlement/next-payouts";
import { dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Payouts: balance" };

type BalancePageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function BalancePage({ params, searchParams }: BalancePageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("balance.read")) return <NoPermission what="the balance" />;
  const path = `/${page.mode}/balance`;
  const header = (
    <>
      <PageHeader
        title="Payouts"
        description={
          page.mode === "test"
            ? "What reaches your bank next, your balance and what changed it."
            : "Your balance and what changed it. Your processor pays you out directly, on its own schedule."
        }
      />
      <SettlementTabs mode={page.mode} current="balance" />
    </>
  );
  const { period: given, ...rest } = await searchParams;
  const query = listMovementsQuery.safeParse(rest);
  if (!query.success) {
    return (
      <>
        {header}
        <WrongFilter what="movements" path={path} issues={query.error.issues} />
      </>
    );
  }
  const periods = periodsAt(environmentNow(page.ctx), page.merchant.timeZone);
  const period = periods.find(({ name }) => name === given) ?? (periods[0] as (typeof periods)[number]);
  const [balance, statement, movements, fee, processors] = await Promise.all([
    getBalance(page.ctx),
    getStatement(page.ctx, dayInstants(period, page.merchant.timeZone)),
    listMovements(page.ctx, query.data),
    getFee(page.ctx),
    listPayingProcessors(page.ctx),
  ]);
  if (balance.currencies.length === 0) {
    return (
      <>
        {header}
        <EmptyState
          icon={<Wallet aria-hidden="true" />}
          title="No money has moved yet"
          description={
            page.mode === "test"
              ? "Captured payments are pending at first, become available when they settle overnight, and then go to your bank."
              : "Captured payments appear here, less refunds and fees. Your processor pays them out to your bank."
          }
        />
      </>
    );
  }
  const { type, currency } = query.data;
  const currencies = balance.currencies.map((each) => each.currency);
  const shown = { period: period === periods[0] ? undefined : period.name, type, currency };
  const hrefOf = (change: Partial<Record<keyof typeof shown, string | undefined>>) =>
    withFilters(path, { ...shown, ...change });
  return (
    <>
      {header}
      <NextPayouts
        payouts={await listNextPayouts(page.ctx, balance.currencies)}
        mode={page.mode}
        processors={processors}
      />
      <section aria-labelledby="statement" className="mb-6">
        <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
          <h2 id="statement" className="font-semibold text-[15px]">
            Statement
          </h2>
          {page.can("report.read") && (
            <ExportButton
              address={reportHref(`/${page.mode}/reports/export`, {
                type: "balance",
                created: { from: period.from, to: period.to },
                currency: currency ?? null,
              })}
              noun="row"
              total={null}
            />
          )}
        </div>
        <FeeLine basisPoints={fee} />
        <FilterLinks
          label="Period"
          links={periods.map((each) => ({
            label: each.label,
            href: hrefOf({ period: each === periods[0] ? undefined : each.name }),
            current: each === period,
          }))}
        />
        {statement
          .filter(({ currency }) => query.data.currency === undefined || currency === query.data.currency)
          .map((each) => (
            <StatementCard key={each.currency} statement={each} />
          ))}
      </section>
      <section aria-labelledby="movements">
        <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
          <h2 id="movements" className="font-semibold text-[15px]">
            Movements
          </h2>
          {movements.data.length > 0 && (
            <ExportButton
              address={withFilters(`${path}/export`, { type, currency })}
              noun="movement"
              total={movements.total}
              totalCapped={movements.total_capped}
            />
          )}
        </div>
        <PageFilters
          path={path}
          what="movements"
          rows={[
            oneOfRow("type", "Type", MOVEMENT_TYPES, MOVEMENT_LABELS),
            ...(currencies.length > 1 ? [oneOfRow("currency", "Currency", currencies)] : []),
          ]}
          values={{ type, currency }}
          kept={{ period: shown.period }}
        />
        {movements.data.length === 0 ? (
          <NoMatches what="movements" path={path} first={hrefOf({})} total={movements.total} />
        ) : (
          <MovementTable movements={movements.data} mode={page.mode} />
        )}
        <PageLinks what="movements" page={movements} href={hrefOf({})} />
      </section>
    </>
  );
}

/** The selectable periods, in whole days of the merchant's time zone. */
function periodsAt(now: Date, timeZone: string) {
  const today = dateIn(timeZone, now);
  const day = (year: number, month: number, date: number) =>
    new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10);
  const [year, month] = today.split("-").map(Number) as [number, number];
  return [
    { name: "this_month", label: "This month", from: day(year, month - 1, 1), to: today },
    { name: "last_month", label: "Last month", from: day(year, month - 2, 1), to: day(year, month - 1, 0) },
    { name: "this_year", label: "This year", from: day(year, 0, 1), to: today },
    { name: "today", label: "Today", from: today, to: today },
  ];
}
