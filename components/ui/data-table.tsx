"use client";

import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight, Columns3 } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { flushSync } from "react-dom";
import { rangeText } from "@/lib/contract/format";
import { Button } from "./button";
import { Checkbox } from "./checkbox";
import { Select } from "./field";
import { Popover, PopoverContent, PopoverTrigger } from "./floating";

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

export type SortState = { field: string; order: "asc" | "desc" };

type SortHeaderProps = {
  field: string;
  sort: SortState;
  onSort: (sort: SortState) => void;
  /** The order that one press gives first. */
  first?: "asc" | "desc";
  className?: string;
  children: ReactNode;
};

/** A heading that sorts; pressing it again turns the order round. */
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

type ColumnPickerProps<Name extends string> = {
  /** Every column there is, with its label. */
  all: Readonly<Record<Name, { label: string }>>;
  /** The visible ones in order. */
  visible: readonly Name[];
  onChange: (visible: readonly Name[]) => void;
  /** Back to the page's own columns. */
  onReset: () => void;
};

/** Which columns a table shows, and in what order. */
export function ColumnPicker<Name extends string>(props: ColumnPickerProps<Name>) {
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button icon={<Columns3 aria-hidden="true" />}>Columns</Button>
      </PopoverTrigger>
      <PopoverContent label="Columns" align="end" className="w-72">
        <ColumnList {...props} />
      </PopoverContent>
    </Popover>
  );
}

function ColumnList<Name extends string>({ all, visible, onChange, onReset }: ColumnPickerProps<Name>) {
  const list = useRef<HTMLUListElement>(null);
  const hidden = (Object.keys(all) as Name[]).filter((name) => !visible.includes(name));
  // An element that is moved loses the focus: it is given back.
  const keepFocus = (change: () => void) => {
    const id = document.activeElement?.id;
    flushSync(change);
    if (id) list.current?.querySelector<HTMLElement>(`#${CSS.escape(id)}`)?.focus();
  };
  const move = (name: Name, step: -1 | 1) => {
    const at = visible.indexOf(name);
    const next = visible.filter((other) => other !== name);
    next.splice(at + step, 0, name);
    keepFocus(() => onChange(next));
  };
  return (
    <>
      <p className="mb-1 text-soft text-xs">Shown columns come first, in their order.</p>
      <ul ref={list}>
        {[...visible, ...hidden].map((name, index) => {
          const { label } = all[name];
          const isShown = index < visible.length;
          return (
            <li key={name} className="flex h-8 items-center gap-1">
              <span className="flex-1">
                <Checkbox
                  id={`column-${name}`}
                  label={label}
                  checked={isShown}
                  disabled={isShown && visible.length === 1}
                  onChange={() =>
                    keepFocus(() => onChange(isShown ? visible.filter((other) => other !== name) : [...visible, name]))
                  }
                />
              </span>
              {isShown && (
                <>
                  <MoveButton
                    id={`column-${name}-up`}
                    label={`Move ${label} up`}
                    disabled={index === 0}
                    onMove={() => move(name, -1)}
                  >
                    <ArrowUp aria-hidden="true" />
                  </MoveButton>
                  <MoveButton
                    id={`column-${name}-down`}
                    label={`Move ${label} down`}
                    disabled={index === visible.length - 1}
                    onMove={() => move(name, 1)}
                  >
                    <ArrowDown aria-hidden="true" />
                  </MoveButton>
                </>
              )}
            </li>
          );
        })}
      </ul>
      <div className="sticky -bottom-3 -mx-3 -mb-3 border-t bg-ground px-3 py-2">
        <Button size="sm" variant="ghost" onClick={onReset}>
          Reset columns
        </Button>
      </div>
    </>
  );
}

type MoveButtonProps = { id: string; label: string; disabled: boolean; onMove: () => void; children: ReactNode };

/** Stays focusable at the ends, so that the focus is not lost on the way. */
function MoveButton({ id, label, disabled, onMove, children }: MoveButtonProps) {
  return (
    <Button
      id={id}
      size="sm"
      variant="ghost"
      className="button-icon aria-disabled:opacity-30"
      aria-label={label}
      aria-disabled={disabled || undefined}
      onClick={disabled ? undefined : onMove}
    >
      {children}
    </Button>
  );
}
