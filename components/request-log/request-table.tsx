import Link from "next/link";
import { Actor, HttpStatus } from "@/components/payments/request-list";
import { Badge } from "@/components/ui/badge";
import { Card } from "@/components/ui/card";
import { ColumnHeads, withFilters } from "@/components/ui/page-links";
import { buttonStyles } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { shortPath } from "@/lib/contract/format";
import type { ErrorGroup, RequestPage, RequestSummary, RequestsQuery } from "@/lib/contract/request-log/requests";

const COLUMNS = [
  ["Request", "pr-4"],
  ["Status", "w-24 pr-4"],
  ["By", "w-44 pr-4 max-lg:hidden"],
  ["Duration", "w-20 pr-4 text-right max-md:hidden"],
  ["Time", "w-36 max-sm:hidden"],
] as const;

/** A page of requests, each linked to its details. `path` is the list's. */
export function RequestTable({ requests, path }: { requests: readonly RequestSummary[]; path: string }) {
  return (
    <table className="w-full border-t text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Requests, newest first</caption>
      <ColumnHeads columns={COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {requests.map((request) => (
          <RequestRow key={request.id} request={request} path={path} />
        ))}
      </tbody>
    </table>
  );
}

function RequestRow({ request, path }: { request: RequestSummary; path: string }) {
  const { id, method, path: requestPath, status, code, actor, duration_ms, replayed, left_out, created_at } = request;
  return (
    <tr className="relative border-b hover:bg-raised">
      <td className="py-2 pr-4 align-middle">
        <Link
          href={`${path}/${id}`}
          className="block font-mono text-xs [overflow-wrap:anywhere] after:absolute after:inset-0 sm:truncate"
        >
          <span className="font-medium">{method}</span> <span title={requestPath}>{shortPath(requestPath)}</span>
        </Link>
        <span className="flex flex-wrap gap-x-2 text-soft text-xs">
          {code && <span className="font-mono">{code}</span>}
          {replayed && <span>Replayed</span>}
          {left_out > 0 && <span className="text-red">{leftOutText(left_out)} right before</span>}
          <span className="relative sm:hidden">
            <Time at={created_at} />
          </span>
        </span>
      </td>
      <td className="py-2 pr-4 align-middle max-sm:w-16 max-sm:pr-0 max-sm:text-right">
        <HttpStatus status={status} />
      </td>
      <td className="truncate py-2 pr-4 align-middle text-soft max-lg:hidden">
        <Actor actor={{ ...actor, detail: null }} />
      </td>
      <td className="py-2 pr-4 text-right align-middle tabular-nums max-md:hidden">{durationText(duration_ms)}</td>
      <td className="relative py-2 align-middle text-soft max-sm:hidden">
        <Time at={created_at} />
      </td>
    </tr>
  );
}

export const durationText = (ms: number): string => `${ms.toLocaleString("en-US")} ms`;

export const leftOutText = (count: number): string =>
  count === 1 ? "1 request not logged" : `${count.toLocaleString("en-US")} requests not logged`;

type RequestLinksProps = { page: RequestPage; path: string; query: RequestsQuery };

export function RequestLinks({ page, path, query }: RequestLinksProps) {
  const last = page.requests.at(-1);
  return (
    <nav aria-label="Pages" className="mt-4 flex items-center justify-between gap-4 text-[13px] text-soft">
      <p>Requests are kept for 30 days.</p>
      <div className="flex gap-2">
        {query.starting_after !== undefined && (
          <Link
            href={withFilters(path, { ...query, starting_after: undefined })}
            className={buttonStyles({ size: "sm" })}
          >
            Newest
          </Link>
        )}
        {page.has_more && last && (
          <Link
            href={withFilters(path, { ...query, starting_after: last.id })}
            className={buttonStyles({ size: "sm" })}
          >
            Older
          </Link>
        )}
      </div>
    </nav>
  );
}

/** The latest errors grouped by code, each linked to its requests. */
export function ErrorGroups({
  groups,
  capped,
  path,
}: {
  groups: readonly ErrorGroup[];
  capped: boolean;
  path: string;
}) {
  if (groups.length === 0) return null;
  return (
    <Card title="Errors by code" description={capped ? "From the latest 10,000" : "Last 30 days"} flush>
      <ul className="max-h-64 divide-y overflow-y-auto">
        {groups.map(({ code, count, first_at, last_at }) => (
          <li key={code} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-[13px]">
            <Link
              href={withFilters(path, { code })}
              className="min-w-0 font-mono text-accent text-xs [overflow-wrap:anywhere] hover:underline"
            >
              {code}
            </Link>
            <Badge tone="red">{count === 1 ? "1 time" : `${count.toLocaleString("en-US")} times`}</Badge>
            <span className="ml-auto text-soft text-xs max-sm:ml-0">
              {count > 1 && (
                <>
                  first <Time at={first_at} />,{" "}
                </>
              )}
              last <Time at={last_at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
