import { Wallet } from "lucide-react";
import type { Metadata } from "next";
import { BalanceCards, MOVEMENT_LABELS, MovementTable, StatementCard } from "@/components/settlement/balance-blocks";
import { FilterLinks, SettlementTabs } from "@/components/settlement/settlement-tabs";
import { EmptyState, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { MOVEMENT_TYPES } from "@/lib/contract/settlement/balance";
import { type ListMovementsQuery, listMovementsQuery } from "@/lib/contract/settlement/endpoints";
import { environmentNow } from "@/lib/domain/context";
import { getBalance, getStatement, listMovements } from "@/lib/domain/settlement/balance";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Balance" };

type BalancePageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function BalancePage({ params, searchParams }: BalancePageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("balance.read")) return <NoPermission what="the balance" />;
  const path = `/${page.mode}/balance`;
  const header = (
    <>
      <PageHeader title="Balance" description="Your balance, what changed it and when it reaches your bank." />
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
  const [balance, statement, movements] = await Promise.all([
    getBalance(page.ctx),
    getStatement(page.ctx, period),
    listMovements(page.ctx, query.data),
  ]);
  if (balance.currencies.length === 0) {
    return (
      <>
        {header}
        <EmptyState
          icon={<Wallet aria-hidden="true" />}
          title="No money has moved yet"
          description="Captured payments are pending at first, become available when they settle overnight, and then go to your bank."
        />
      </>
    );
  }
  const { type, currency } = query.data;
  const shown = { period: period === periods[0] ? undefined : period.name, type, currency };
  const hrefOf = (change: Partial<Record<keyof typeof shown, string | undefined>>) =>
    withFilters(path, { ...shown, ...change });
  return (
    <>
      {header}
      <BalanceCards balances={balance.currencies} />
      <section aria-labelledby="statement" className="mb-6">
        <h2 id="statement" className="mb-2 font-semibold text-[15px]">
          Statement
        </h2>
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
        <h2 id="movements" className="mb-2 font-semibold text-[15px]">
          Movements
        </h2>
        <FilterLinks
          label="Type"
          links={[undefined, ...MOVEMENT_TYPES].map((type) => ({
            label: type ? MOVEMENT_LABELS[type] : "All",
            href: hrefOf({ type }),
            current: query.data.type === type,
          }))}
        />
        {balance.currencies.length > 1 && (
          <FilterLinks
            label="Currency"
            links={[undefined, ...balance.currencies.map(({ currency }) => currency)].map((currency) => ({
              label: currency ?? "All",
              href: hrefOf({ currency }),
              current: query.data.currency === currency,
            }))}
          />
        )}
        {movements.data.length === 0 ? (
          <EmptyState kind="no-results" what="movements" filters={filterWords(query.data)} path={path} />
        ) : (
          <MovementTable movements={movements.data} mode={page.mode} />
        )}
        <PageLinks what="movements" page={movements} href={hrefOf({})} />
      </section>
    </>
  );
}

function filterWords({ type, currency, offset }: ListMovementsQuery): string[] {
  return [
    ...(type ? [`Type: ${MOVEMENT_LABELS[type]}`] : []),
    ...(currency ? [`Currency: ${currency}`] : []),
    ...(offset ? [`From result ${offset + 1}`] : []),
  ];
}

/** The selectable periods, in whole days of the merchant's time zone. */
function periodsAt(now: Date, timeZone: string) {
  const today = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(now);
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
