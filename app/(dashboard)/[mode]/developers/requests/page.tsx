import { ScrollText } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { RequestFilters } from "@/components/request-log/request-filters";
import { ErrorGroups, leftOutText, RequestLinks, RequestTable } from "@/components/request-log/request-table";
import { Banner } from "@/components/ui/banner";
import { EmptyState, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { type RequestPage, type RequestsQuery, requestsQuery } from "@/lib/contract/request-log/requests";
import { parseTimes, presetDays } from "@/lib/contract/transactions/time-range";
import { listKeyPage } from "@/lib/domain/api-keys/read-keys";
import { listRequests, readRequestFigures } from "@/lib/domain/request-log/read-requests";
import { type DashboardPage, dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Requests" };

type RequestsPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

const PAGE_SIZE = 50;
const KEYS_OFFERED = 100;
const ENDPOINT_OPTIONS = ENDPOINTS.filter(({ permissions }) => permissions.length > 0).map(({ name, summary }) => ({
  value: name,
  label: summary,
}));

export default async function RequestsPage({ params, searchParams }: RequestsPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("payment.read")) return <NoPermission what="requests" />;
  const path = `/${page.mode}/developers/requests`;
  const header = (
    <PageHeader
      title="Requests"
      description="API requests from your servers and changes by your team in the last 30 days."
      actions={
        <Link href={`/${page.mode}/developers/idempotency`} className={buttonStyles()}>
          Idempotency keys
        </Link>
      }
    />
  );
  const { created, ...given } = await searchParams;
  const times = typeof created === "string" ? parseTimes(created) : null;
  const days =
    times && "preset" in times
      ? presetDays(times.preset, page.merchant.timeZone, page.ctx.service.clock.now().getTime())
      : times;
  const parsed = requestsQuery.safeParse({
    ...given,
    ...(days?.from && { from: days.from }),
    ...(days?.to && { to: days.to }),
  });
  if (!parsed.success) {
    return (
      <>
        {header}
        <WrongFilter what="requests" path={path} issues={parsed.error.issues} />
      </>
    );
  }
  const query = parsed.data;
  const sought = query.q?.trim() ?? "";
  if (decodeId("request", sought)) redirect(`${path}/${sought}`);
  const isFiltered = Object.keys(query).length > 0;
  const [found, figures, keys] = await Promise.all([
    search(page, query),
    readRequestFigures(page.ctx),
    page.can("api_key.manage") ? listKeyPage(page.ctx, { limit: KEYS_OFFERED, offset: 0 }) : null,
  ]);
  const filters = (
    <RequestFilters
      path={path}
      query={query}
      preset={times && "preset" in times ? times.preset : null}
      endpoints={ENDPOINT_OPTIONS}
      keys={(keys?.data ?? []).map(({ id, name, last4 }) => ({ value: id, label: `${name} · ${last4}` }))}
    />
  );
  if ("problem" in found) {
    return (
      <>
        {header}
        {filters}
        <Banner tone="amber" title="This search is too wide" role="status">
          {found.problem}
        </Banner>
      </>
    );
  }
  if (found.requests.length === 0 && !isFiltered) {
    return (
      <>
        {header}
        <EmptyState
          icon={<ScrollText aria-hidden="true" />}
          title="No requests in the last 30 days"
          description="Requests from your API keys appear here within seconds, with what was sent and returned."
          curl={`curl ${page.ctx.service.baseUrl}/v1/payments \\\n  -H "X-Api-Key: sk_${page.mode}_…"`}
        />
      </>
    );
  }
  return (
    <>
      {header}
      {figures.left_out > 0 && (
        <Banner tone="amber" title={`${leftOutText(figures.left_out)} in the last 30 days`} className="mb-4">
          Too many requests arrived at once to log them all. Each got its normal response; the list marks the gaps.
        </Banner>
      )}
      {/* Phones begin with the list. */}
      <div className="flex flex-col gap-4 max-md:flex-col-reverse">
        {!isFiltered && <ErrorGroups groups={figures.errors} capped={figures.errors_capped} path={path} />}
        <div>
          {filters}
          {found.requests.length > 0 ? (
            <>
              <RequestTable requests={found.requests} path={path} />
              <RequestLinks page={found} path={path} query={query} />
            </>
          ) : (
            <EmptyState kind="no-results" what="requests" path={path} />
          )}
        </div>
      </div>
    </>
  );
}

/** The page, or the reason why the search would take too long. */
async function search(page: DashboardPage, query: RequestsQuery): Promise<RequestPage | { problem: string }> {
  try {
    return await listRequests(page.ctx, query, PAGE_SIZE, page.merchant.timeZone);
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_parameter") return { problem: error.message };
    throw error;
  }
}
