"use client";

import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/select";
import { rangeText } from "@/lib/client/range-text";

type PagerProps<Size extends number> = {
  page: number;
  perPage: Size;
  sizes: readonly Size[];
  /** Rows on this page. */
  count: number;
  total: number;
  /** `total` is only as far as was counted. */
  capped: boolean;
  hasMore: boolean;
  onPage: (page: number) => void;
  onPerPage: (perPage: Size) => void;
};

/** Range and total, the size of a page, and the way to others. */
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

/** Far pages by their number. */
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
