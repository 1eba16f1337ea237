import type { Metadata } from "next";
import Link from "next/link";
import { AttentionCard } from "@/components/reporting/attention-card";
import { DeclinesCard } from "@/components/reporting/declines-card";
import { FirstUse } from "@/components/reporting/first-use";
import { LatestCard } from "@/components/reporting/latest-card";
import { LinkGroup } from "@/components/reporting/link-group";
import { overviewHref, rangeText } from "@/components/reporting/overview-text";
import { PeriodPicker } from "@/components/reporting/period-picker";
import { SubscriptionTiles } from "@/components/reporting/subscription-tiles";
import { Tiles } from "@/components/reporting/tiles";
import { VolumeCard } from "@/components/reporting/volume-card";
import { Banner } from "@/components/ui/banner";
import { NoPermission } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import type { AttentionItem } from "@/lib/contract/reporting/overview";
import { DEFAULT_PERIOD, parsePeriod, resolvePeriod } from "@/lib/contract/reporting/period";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import { isMode, type Mode } from "@/lib/contract/transactions/words";
import { findMenuCount } from "@/lib/domain/approvals/requests";
import { hasProcessor } from "@/lib/domain/processors/connection-of";
import { getOverview, listAttention, listLatest } from "@/lib/domain/reporting/overview";
import { getSubscriptionFigures, listRecurringCurrencies } from "@/lib/domain/reporting/subscription-figures";
import { dashboardPage, type SearchParams } from "@/lib/http/page";

type OverviewPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

/** Any one-segment address matches this route, also one that is not a mode. */
export async function generateMetadata({ params }: OverviewPageProps): Promise<Metadata> {
  return { title: isMode((await params).mode) ? "Overview" : "Page not found" };
}

export default async function OverviewPage({ params, searchParams }: OverviewPageProps) {
  const page = await dashboardPage((await params).mode);
  const { ctx, mode } = page;
  if (!page.can("transaction.read")) return <NoPermission what="the overview" />;
  const { period: name, from, to, currency: wanted } = onlyTexts(await searchParams);
  // An unreadable period falls back to the default, which the picker then shows.
  const period = parsePeriod({ period: name, from, to }) ?? DEFAULT_PERIOD;
  const [overview, items, latest, isConnected, recurring, approvals] = await Promise.all([
    getOverview(ctx, { period: (today) => resolvePeriod(period, today), currency: wanted ?? null }),
    listAttention(ctx),
    listLatest(ctx),
    hasProcessor(ctx),
    page.can("subscription.read") ? listRecurringCurrencies(ctx) : [],
    page.can("approval.request") ? findMenuCount(ctx, page.user) : null,
  ]);
  const banner = isConnected ? null : <NoProcessor mode={mode} canConnect={page.can("settings.manage")} />;
  const attention = items.filter(({ kind }) => kind !== "waiting_invoice" || page.can("invoice.read"));
  const beneath = { mode, attention, latest, approvals: approvals ?? 0 };
  const { currency, currencies, timeZone, firstDay, today } = overview;
  // A merchant may have subscriptions in another currency than the most used one.
  const billed = recurring.find((code) => code === (wanted ?? currency)) ?? recurring[0];
  const subscriptions = billed !== undefined && (
    <SubscriptionTiles mode={mode} figures={await getSubscriptionFigures(ctx, billed, timeZone)} />
  );
  if (currency === null) {
    return (
      <>
        <PageHeader title="Overview" description={`Days in ${timeZone}`} />
        {banner}
        {subscriptions}
        {attention.length === 0 && !approvals && latest.length === 0 && !subscriptions ? (
          <FirstUse
            mode={mode}
            baseUrl={ctx.service.baseUrl}
            canManageKeys={page.can("api_key.manage")}
            canMakeLinks={page.can("client_session.create")}
            needsProcessor={!isConnected}
          />
        ) : (
          <Beneath {...beneath} />
        )}
      </>
    );
  }
  const named = wanted === currency ? currency : null;
  const figures = { ...overview, currency };
  return (
    <>
      <PageHeader
        title="Overview"
        description={`${rangeText(overview)}, days in ${timeZone}`}
        actions={
          <>
            {currencies.length > 1 && (
              <LinkGroup
                label="Currency"
                links={currencies.map((code) => ({
                  href: overviewHref(mode, period, code),
                  text: code,
                  current: code === currency,
                }))}
              />
            )}
            <PeriodPicker
              key={`${overview.from} ${overview.to}`}
              {...{ mode, period, firstDay, today, timeZone }}
              range={{ from: overview.from, to: overview.to }}
              currency={named}
            />
          </>
        }
      />
      {banner}
      <Tiles mode={mode} overview={figures} />
      {subscriptions}
      <div className="mt-4 grid gap-4 lg:grid-cols-3">
        <div className="min-w-0 lg:col-span-2">
          <VolumeCard
            mode={mode}
            canExport={page.can("report.read")}
            overview={{
              buckets: overview.buckets,
              previous: overview.previous,
              unit: overview.unit,
              figures: overview.figures,
              from: overview.from,
              to: overview.to,
              today,
              currency,
            }}
          />
        </div>
        <DeclinesCard
          shown={{ mode, currency }}
          declines={overview.declines}
          range={{ from: overview.from, to: overview.to }}
        />
      </div>
      <Beneath {...beneath} />
    </>
  );
}

type NoProcessorProps = { mode: Mode; canConnect: boolean };

/** Shown because every payment is refused until a processor is connected. */
function NoProcessor({ mode, canConnect }: NoProcessorProps) {
  return (
    <Banner
      tone="amber"
      title="No processor is connected"
      className="mb-4"
      actions={
        canConnect && (
          <Link href={`/${mode}/settings/processors`} className={buttonStyles({ variant: "primary", size: "sm" })}>
            Connect a processor
          </Link>
        )
      }
    >
      Live payments are refused until your account at a card processor is connected.
      {!canConnect && " Ask an owner or admin of your team to connect it under Settings → Processors."}
    </Banner>
  );
}

type BeneathProps = { mode: Mode; attention: AttentionItem[]; latest: ListedTransaction[]; approvals: number };

/** Cards that don't depend on the period. */
function Beneath({ mode, attention, latest, approvals }: BeneathProps) {
  return (
    <div className="mt-4 grid items-start gap-4 lg:grid-cols-3">
      <div className="min-w-0 lg:col-span-2">
        <LatestCard mode={mode} transactions={latest} />
      </div>
      <AttentionCard mode={mode} items={attention} approvals={approvals} />
    </div>
  );
}

/** Drops repeated parameters. */
function onlyTexts(params: SearchParams): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => typeof value === "string")) as Record<
    string,
    string
  >;
}
