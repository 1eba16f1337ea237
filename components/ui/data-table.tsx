"use client";

import { ChevronLeft, ChevronRight, Columns3 } from "lucide-react";
import dynamic from "next/dynamic";
import type { ReactNode } from "react";
import { rangeText } from "@/lib/contract/format";
import { Button } from "./button";
import type { ColumnListProps, ColumnList as List } from "./column-list";
import { Select } from "./field";
import { Popover, PopoverContent, PopoverTrigger } from "./floating";
import { missingPart } from "./missing-part";
import { Skeleton } from "./skeleton";

type PagerProps<Size extends number> = {
  page: number;
  perPage: Size;
  sizes: readonly Size[];
  /** Rows on this page. */
  count: number;
  total: number;
  /** `total` is a lower bound. */
  capped: boolean;
  hasMore: boolean;
  onPage: (page: number) => void;
  onPerPage: (perPage: Size) => void;
};

/** Range, total, page size and page links. */
export function Pager<Size extends number>(props: PagerProps<Size>) {
  const { page, perPage, sizes, count, total, capped, hasMore, onPage, onPerPage } = props;
  return (
    <nav aria-label="Pages" className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 text-[13px] text-soft">
      <p className="tabular-nums">{rangeText({ page, perPage, count, total, capped })}</p>
      <p className="flex items-center gap-2 max-sm:hidden print:hidden">
        <label htmlFor="rows-per-page">Rows per page</label>
        <Select
          id="rows-per-page"
          className="w-17"
          value={perPage}
          onChange={(event) => onPerPage(Number(event.target.value) as Size)}
        >
          {sizes.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </Select>
      </p>
      <div className="ml-auto flex items-center gap-2 print:hidden">
        <Button
          size="sm"
          icon={<ChevronLeft aria-hidden="true" />}
          disabled={page === 1}
          onClick={() => onPage(page - 1)}
        >
          Previous
        </Button>
        <PageInput key={page} page={page} onPage={onPage} />
        <Button size="sm" disabled={!hasMore} onClick={() => onPage(page + 1)}>
          Next
          <ChevronRight aria-hidden="true" />
        </Button>
      </div>
    </nav>
  );
}

/** Jumps to a page by number. */
function PageInput({ page, onPage }: { page: number; onPage: (page: number) => void }) {
  const go = (text: string) => {
    const wanted = Number(text);
    if (Number.isInteger(wanted) && wanted >= 1 && wanted !== page) onPage(wanted);
  };
  return (
    <form
      className="flex items-center gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        go(String(new FormData(event.currentTarget).get("page")));
      }}
    >
      <label htmlFor="page-number" className="max-sm:sr-only">
        Page
      </label>
      <input
        id="page-number"
        name="page"
        inputMode="numeric"
        autoComplete="off"
        defaultValue={page}
        className="control h-7 w-12 px-1 text-center tabular-nums"
        onBlur={(event) => go(event.target.value)}
      />
    </form>
  );
}

export type SortState = { field: string; order: "asc" | "desc" };

type SortHeaderProps = {
  field: string;
  sort: SortState;
  onSort: (sort: SortState) => void;
  /** Order of the first press. */
  first?: "asc" | "desc";
  className?: string;
  children: ReactNode;
};

/** A sortable heading; pressing it again reverses the order. */
export function SortHeader({ field, sort, onSort, first = "desc", className, children }: SortHeaderProps) {
  const order = sort.field === field ? sort.order : null;
  const next = order === null ? first : order === "asc" ? "desc" : "asc";
  return (
    <th
      scope="col"
      className={className}
      aria-sort={order === null ? undefined : order === "asc" ? "ascending" : "descending"}
    >
      <button type="button" className="sort" onClick={() => onSort({ field, order: next })}>
        {children}
        <svg viewBox="0 0 12 12" aria-hidden="true">
          <path
            d={(order ?? next) === "asc" ? "M2.5 7.5 6 4l3.5 3.5" : "M2.5 4.5 6 8l3.5-3.5"}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
          />
        </svg>
      </button>
    </th>
  );
}

// Loaded on hover or focus, to keep it out of the table's first load.
const loadList = () => import("./column-list").then((module) => module.ColumnList, missingPart);
const ColumnList = dynamic(loadList, { ssr: false, loading: () => <Skeleton className="h-80" /> }) as typeof List;

/** Selects and orders the columns of a table. */
export function ColumnPicker<Name extends string>(props: ColumnListProps<Name>) {
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button
          icon={<Columns3 aria-hidden="true" />}
          onPointerEnter={() => void loadList()}
          onFocus={() => void loadList()}
        >
          Columns
        </Button>
      </PopoverTrigger>
      <PopoverContent label="Columns" align="end" className="w-72">
        <ColumnList {...props} />
      </PopoverContent>
    </Popover>
  );
}
