import { History } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { ActivityList } from "@/components/accounts/activity";
import { PageFilters } from "@/components/lists/page-filters";
import { ExportButton } from "@/components/reporting/export-button";
import { EmptyState, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { SectionHeader } from "@/components/ui/page-header";
import { withFilters } from "@/components/ui/page-links";
import { buttonStyles } from "@/components/ui/styles";
import { activityFilterRows, parseActivity } from "@/lib/contract/accounts/activity-filters";
import { encodeId } from "@/lib/contract/ids";
import { formatFilters } from "@/lib/contract/lists/query";
import { listActivity } from "@/lib/domain/accounts/activity";
import { listTeam } from "@/lib/domain/team/team";
import { addressParams, dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Activity" };

type ActivityPageProps = { params: Promise<{ mode: string }>; searchParams: Promise<SearchParams> };

export default async function ActivityPage({ params, searchParams }: ActivityPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("settings.manage")) return <NoPermission what="the activity of the account" />;
  const path = `/${page.mode}/settings/activity`;
  const given = await searchParams;
  const team = await listTeam(page.ctx);
  const rows = activityFilterRows(
    team.map(({ id, name, email }) => ({ id: encodeId("user", id), name: name ?? email })),
  );
  const { query, problems } = parseActivity(rows, addressParams(given));
  if (problems.length > 0) {
    const issues = problems.map(({ param, message }) => ({ path: [param], message }));
    return <WrongFilter what="activity" path={path} issues={issues} />;
  }
  const before = typeof given.before === "string" ? given.before : null;
  const values = Object.fromEntries(
    formatFilters(rows, { ...query, area: query.area && [query.area], who: query.who && [query.who] }),
  );
  const isFiltered = Object.keys(values).length > 0;
  const { rows: items, next } = await listActivity(page.ctx, { ...query, before, timeZone: page.merchant.timeZone });
  return (
    <>
      <SectionHeader
        title="Activity"
        description="What your team did, and everything Cardlane’s support staff viewed or did."
        actions={<ExportButton address={withFilters(`${path}/export`, values)} noun="action" total={null} />}
      />
      <PageFilters path={path} what="activity" rows={rows} values={values} />
      {items.length === 0 && (isFiltered || before !== null) ? (
        <EmptyState kind="no-results" what="actions" path={path} />
      ) : items.length === 0 ? (
        <EmptyState
          icon={<History aria-hidden="true" />}
          title="Nothing yet"
          description="What your team does appears here, and everything Cardlane’s support staff views."
          className="rounded-lg border"
        />
      ) : (
        <ActivityList items={items} mode={page.mode} />
      )}
      <nav aria-label="Pages" className="mt-3 flex justify-end gap-2">
        {before !== null && (
          <Link href={withFilters(path, values)} className={buttonStyles({ size: "sm" })}>
            Newest
          </Link>
        )}
        {next && (
          <Link href={withFilters(path, { ...values, before: next })} className={buttonStyles({ size: "sm" })}>
            Older
          </Link>
        )}
      </nav>
    </>
  );
}
