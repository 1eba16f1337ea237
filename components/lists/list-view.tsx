"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { ExportButton } from "@/components/reporting/export-button";
import type { SortState } from "@/components/ui/data-table";
import { EmptyState, PastLastPage } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { RefreshEvery, ZoneNote } from "@/components/ui/time";
import { useDashboard } from "@/lib/client/dashboard-context";
import { type FilterOptions, filterChips } from "@/lib/client/lists/filter-chips";
import type { QueryProblem } from "@/lib/contract/lists/address";
import { noFilters } from "@/lib/contract/lists/filters";
import { formatList, type ListPlace, type ListSpec, parseList } from "@/lib/contract/lists/query";
import { CursorPager, totalText } from "./cursor-pager";
import { FilterBar, FilterChips, type ListFilters } from "./filter-bar";
import { ProblemNotice } from "./problem-notice";
import { SearchField } from "./search-field";
import { useListQuery } from "./use-list-query";
import { type BuiltInView, useSavedViews, ViewTabs } from "./view-tabs";

/** A list that the server renders and that pages by cursor. */
export type ListKind = {
  /** A row, as in "45 invoices" and in the list's address. */
  readonly noun: "invoice" | "subscription";
  readonly spec: ListSpec;
  readonly filters: ListFilters;
  readonly builtIn: readonly BuiltInView[];
  /** Description of what its search box finds. */
  readonly placeholder: string;
};

/** The list's sort, for its headings. */
export type Sorting = { sort: SortState; onSort: (sort: SortState) => void };

type ListViewProps = {
  kind: ListKind;
  list: {
    data: readonly { id: string }[];
    has_before: boolean;
    has_after: boolean;
    total: number;
    total_capped: boolean;
  };
  query: ListPlace & { q?: string | undefined };
  view: string | null;
  problems: readonly QueryProblem[];
  /** The merchant's currencies, most used first. */
  currencies: readonly string[];
  options?: FilterOptions;
  /** Beside the export, unless there are no rows at all. */
  actions?: ReactNode;
  /** Shown instead of the list if there are no rows at all. */
  firstUse: ReactNode;
  /** Below the table. */
  totals?: ReactNode;
  /** The table's headings and rows. */
  children: (sorting: Sorting) => ReactNode;
};

const REFRESH_MS = 10_000;

/** Searches a list and shows its rows. All query state is in the address. */
export function ListView({ kind, list, problems, currencies, options, ...props }: ListViewProps) {
  const { actions, firstUse, totals, children, ...shown } = props;
  const { noun, spec, filters, builtIn, placeholder } = kind;
  const { mode, merchant } = useDashboard();
  const what = `${noun}s` as const;
  const title = upper(what);
  const path = `/${mode}/${what}`;
  const { query, view, change, isPending } = useListQuery(path, shown, (next) => formatList(spec, next));
  const saved = useSavedViews(what);
  const chips = filterChips(spec.rows, query, merchant.timeZone, options);
  const address = formatList(spec, { ...query, after: null, before: null });
  const isEmpty = list.data.length === 0;
  const isFirstUse = isEmpty && chips.length === 0 && query.after === null && query.before === null;
  return (
    <>
      <PageHeader
        title={title}
        actions={
          !isFirstUse && (
            <>
              <ExportButton
                address={`${path}/export?${address}`}
                noun={noun}
                total={isPending ? null : list.total}
                totalCapped={list.total_capped}
              />
              {actions}
            </>
          )
        }
      />
      <ViewTabs
        path={path}
        what={what}
        builtIn={builtIn}
        now={address}
        saved={saved}
        columns={null}
        active={saved.views.find(({ id }) => id === view) ?? null}
        onView={(text, id) =>
          change({ ...noFilters(spec.rows), ...parseList(spec, new URLSearchParams(text)).query }, { view: id })
        }
      />
      <div className="flex flex-col gap-3 pt-3 print:pt-0">
        <div className="flex flex-wrap items-start gap-2 print:hidden">
          <SearchField
            label={`Search ${what}`}
            placeholder={placeholder}
            text={query.q ?? ""}
            onSearch={(q) => change({ q: q || undefined }, { replace: query.q !== undefined })}
          />
          <FilterBar
            list={filters}
            query={query}
            timeZone={merchant.timeZone}
            currencies={currencies}
            options={options}
            onChange={change}
          />
        </div>
        <ProblemNotice problems={problems} onRemove={() => change({}, { replace: true })} />
        <FilterChips
          rows={spec.rows}
          filters={query}
          timeZone={merchant.timeZone}
          options={options}
          onChange={change}
        />
      </div>
      {isFirstUse && firstUse}
      {isEmpty && !isFirstUse && (
        <NoRows
          path={path}
          what={what}
          filters={chips.map(({ label }) => label)}
          onClear={() => change(noFilters(spec.rows), { view: null })}
        />
      )}
      {!isEmpty && (
        <>
          <div className="flex h-9 items-center gap-3 text-[13px] text-soft tabular-nums print:hidden">
            <output>{totalText(list.total, list.total_capped, noun)}</output>
            <ZoneNote className="text-xs max-sm:hidden" />
          </div>
          <div className="data-table-scroll">
            <table className="data-table" data-stale={isPending || undefined} aria-busy={isPending}>
              <caption className="sr-only">{`${title}, ${spec.sorts[query.sort.field]?.[query.sort.order]}`}</caption>
              {children({ sort: query.sort, onSort: (sort) => change({ sort }) })}
            </table>
          </div>
          {totals}
          <CursorPager
            perPage={query.perPage}
            before={list.has_before ? (list.data[0]?.id ?? null) : null}
            after={list.has_after ? (list.data.at(-1)?.id ?? null) : null}
            onPage={(cursor) => {
              change(cursor);
              window.scrollTo({ top: 0 });
            }}
            onPerPage={(perPage) => change({ perPage })}
          />
        </>
      )}
      <RefreshEvery ms={REFRESH_MS} />
    </>
  );
}

type NoRowsProps = { path: string; what: string; filters: readonly string[]; onClear: () => void };

function NoRows({ path, what, filters, onClear }: NoRowsProps) {
  if (filters.length > 0) return <EmptyState kind="no-results" what={what} filters={filters} onClear={onClear} />;
  return (
    <PastLastPage>
      <Link href={path} className={buttonStyles()}>
        Go to the first page
      </Link>
    </PastLastPage>
  );
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A list's sort orders as its filters offer them. */
export const sortLabels = ({ sorts }: ListSpec): ListFilters["sorts"] =>
  Object.entries(sorts).flatMap(([field, { asc, desc }]) => [
    [`${field} desc`, upper(desc)] as const,
    [`${field} asc`, upper(asc)] as const,
  ]);
