import type { Metadata } from "next";
import { ReportControls } from "@/components/reports/report-controls";
import { ReportMail } from "@/components/reports/report-mail";
import { ReportResult } from "@/components/reports/report-result";
import { NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { AppError } from "@/lib/contract/errors";
import { parseReport, reportDays } from "@/lib/contract/reports/report-query";
import { dayIn, dayInstants } from "@/lib/contract/transactions/time-range";
import { environmentNow } from "@/lib/domain/context";
import { listOwnCurrencies } from "@/lib/domain/reporting/overview";
import { previewReport, type ReportPreview } from "@/lib/domain/reports/read-report";
import { findReportMail } from "@/lib/domain/reports/report-mails";
import { addressParams, dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Reports" };

type ReportsPageProps = { params: Promise<{ mode: string }>; searchParams: Promise<SearchParams> };

const PREVIEW_ROWS = 20;

export default async function ReportsPage({ params, searchParams }: ReportsPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("report.read")) return <NoPermission what="reports" />;
  const { query, problems } = parseReport(addressParams(await searchParams));
  const { timeZone } = page.merchant;
  const header = (
    <PageHeader title="Reports" description={`For bookkeeping, straight from the ledger. Days are in ${timeZone}.`} />
  );
  if (problems.length > 0) {
    const issues = problems.map(({ param, message }) => ({ path: [param], message }));
    return (
      <>
        {header}
        <WrongFilter what="reports" path={`/${page.mode}/reports`} issues={issues} />
      </>
    );
  }
  const now = environmentNow(page.ctx).getTime();
  const days = reportDays(query, timeZone, now);
  const subject = { type: query.type, ...dayInstants(days, timeZone), timeZone, currency: query.currency ?? undefined };
  const [preview, currencies, every] = await Promise.all([
    orTooLong(previewReport(page.ctx, subject, PREVIEW_ROWS)),
    listOwnCurrencies(page.ctx),
    findReportMail(page.ctx, page.user.userId, query.type),
  ]);
  return (
    <>
      {header}
      <ReportControls mode={page.mode} query={query} days={days} currencies={currencies} />
      <ReportResult mode={page.mode} query={query} days={days} today={dayIn(timeZone, now)} preview={preview} />
      <ReportMail key={query.type} mode={page.mode} type={query.type} email={page.user.email} every={every} />
    </>
  );
}

/** Null if the range has too many rows to add up while the page waits; its file is not limited. */
async function orTooLong(found: Promise<ReportPreview>): Promise<ReportPreview | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_parameter") return null;
    throw error;
  }
}
