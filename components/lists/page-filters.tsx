"use client";

import dynamic from "next/dynamic";
import { Spinner } from "@/components/ui/button";
import { missingPart } from "@/components/ui/missing-part";
import { Skeleton } from "@/components/ui/skeleton";
import { useDashboard } from "@/lib/client/dashboard-context";
import type { FilterOptions } from "@/lib/client/lists/filter-chips";
import { readable } from "@/lib/contract/lists/address";
import type { FilterRow, FilterRows } from "@/lib/contract/lists/filters";
import { formatFilters } from "@/lib/contract/lists/query";
import { parseTimes } from "@/lib/contract/transactions/time-range";
import { FilterBar, FilterChips } from "./filter-bar";
import { SearchField } from "./search-field";
import { useListQuery } from "./use-list-query";

const loadForm = () => import("./filter-forms").then((module) => module.FilterForm, missingPart);
const Form = dynamic(loadForm, { ssr: false, loading: () => <Skeleton className="h-36" /> });

type PageFiltersProps = {
  path: string;
  /** "plans" */
  what: string;
  rows: FilterRows;
  /** The address's parameters. */
  values: Readonly<Record<string, string | null | undefined>>;
  /** Searches by the filter `q`. */
  search?: { placeholder: string; maxLength?: number };
  options?: FilterOptions;
  /** Parameters that outlast a change of filters. */
  kept?: Readonly<Record<string, string | undefined>>;
};

/** Filters of a list that pages by links, kept in its address. */
export function PageFilters({ path, what, rows, values, search, options, kept = {} }: PageFiltersProps) {
  const { merchant } = useDashboard();
  const inBar = rows.filter(([name]) => search === undefined || name !== "q");
  const place = { sort: { field: "created_at", order: "desc" as const }, after: null, before: null };
  const shown = { query: { ...place, ...filtersOf(rows, values) }, view: null };
  const { query, change, isPending } = useListQuery<typeof shown.query & { q?: string | undefined }>(
    path,
    shown,
    (next) => {
      const params = [...formatFilters(rows, next), ...Object.entries(kept)];
      return params.flatMap(([name, value]) => (value ? [`${name}=${readable(value)}`] : [])).join("&");
    },
  );
  return (
    <div className="mb-3 flex flex-col gap-3">
      <search aria-label={`Filter ${what}`} className="flex flex-wrap items-start gap-2 print:hidden">
        {search && (
          <SearchField
            label={`Search ${what}`}
            {...search}
            text={query.q ?? ""}
            onSearch={(q) => change({ q: q || undefined }, { replace: query.q !== undefined })}
          />
        )}
        {inBar.length > 0 && (
          <FilterBar
            list={{ rows: inBar, Form, loadForm, sorts: [] }}
            query={query}
            timeZone={merchant.timeZone}
            currencies={[]}
            {...(options && { options })}
            onChange={change}
          />
        )}
        <output className="inline-flex h-8 items-center gap-1.5 text-soft text-xs empty:hidden">
          {isPending && (
            <>
              <Spinner /> Loading
            </>
          )}
        </output>
      </search>
      <FilterChips
        rows={rows}
        filters={query}
        timeZone={merchant.timeZone}
        {...(options && { options })}
        onChange={change}
      />
    </div>
  );
}

function filtersOf(rows: FilterRows, values: PageFiltersProps["values"]): Record<string, unknown> {
  const used = rows.flatMap(([name, row]): [string, unknown][] => {
    const value = values[row.param];
    return value ? [[name, readValue(row, value)]] : [];
  });
  return Object.fromEntries(used);
}

function readValue(row: FilterRow, value: string): unknown {
  if (row.kind === "words") return row.single ? [value] : value.split(",");
  return row.kind === "times" ? (parseTimes(value) ?? undefined) : value;
}
