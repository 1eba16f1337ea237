"use client";

import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/field";
import { PER_PAGE, type PerPage } from "@/lib/contract/lists/query";

type CursorPagerProps = {
  perPage: PerPage;
  /** Cursor of the previous page and of the next one; null without one. */
  before: string | null;
  after: string | null;
  onPage: (cursor: { before: string } | { after: string }) => void;
  onPerPage: (perPage: PerPage) => void;
};

/** Page size, and the pages before and after this one. */
export function CursorPager({ perPage, before, after, onPage, onPerPage }: CursorPagerProps) {
  return (
    <nav
      aria-label="Pages"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 text-[13px] text-soft print:hidden"
    >
      <p className="flex items-center gap-2 max-sm:hidden">
        <label htmlFor="rows-per-page">Rows per page</label>
        <Select
          id="rows-per-page"
          className="w-17"
          value={perPage}
          onChange={(event) => onPerPage(Number(event.target.value) as PerPage)}
        >
          {PER_PAGE.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </Select>
      </p>
      <div className="ml-auto flex items-center gap-2">
        <Button
          size="sm"
          icon={<ChevronLeft aria-hidden="true" />}
          disabled={before === null}
          onClick={() => before !== null && onPage({ before })}
        >
          Previous
        </Button>
        <Button size="sm" disabled={after === null} onClick={() => after !== null && onPage({ after })}>
          Next
          <ChevronRight aria-hidden="true" />
        </Button>
      </div>
    </nav>
  );
}

/** "45 subscriptions", "More than 10,000 subscriptions". */
export function totalText(total: number, capped: boolean, one: string): string {
  const count = total.toLocaleString("en-US");
  if (capped) return `More than ${count} ${one}s`;
  return total === 1 ? `1 ${one}` : `${count} ${one}s`;
}
