"use client";

import { ChevronDown, ListFilter, X } from "lucide-react";
import dynamic from "next/dynamic";
import { type ComponentType, useState } from "react";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/floating";
import { missingPart } from "@/components/ui/missing-part";
import { Skeleton } from "@/components/ui/skeleton";
import { cn } from "@/components/ui/styles";
import { type FilterOptions, filterChips } from "@/lib/client/lists/filter-chips";
import { type FilterRows, formsOf, noFilters, usedIn } from "@/lib/contract/lists/filters";
import type { FilterFormProps } from "./filter-forms";

const FilterSheet = dynamic(() => import("./filter-sheet").then((module) => module.FilterSheet, missingPart), {
  ssr: false,
});

/** A list's filters and their forms, which load on first use, to keep them out of the list's first load. */
export type ListFilters = {
  readonly rows: FilterRows;
  readonly Form: ComponentType<FilterFormProps>;
  readonly loadForm: () => Promise<unknown>;
  /** Sort orders as in the sheet: "created_at desc" and its label. */
  readonly sorts: readonly (readonly [value: string, label: string])[];
};

export const listFilters = (
  rows: FilterRows,
  loadForm: () => Promise<ComponentType<FilterFormProps>>,
  sorts: ListFilters["sorts"],
): ListFilters => ({
  rows,
  Form: dynamic(loadForm, { ssr: false, loading: () => <Skeleton className="h-36" /> }),
  loadForm,
  sorts,
});

export type FilterBarProps = {
  list: ListFilters;
  /** The list's filters and its sort. */
  query: { sort: { field: string; order: "asc" | "desc" } };
  timeZone: string;
  /** The merchant's currencies, most used first. */
  currencies: readonly string[];
  options?: FilterOptions;
  onChange(patch: object): void;
};

/** A button per kind of filter; on narrow screens one for all of them. */
export function FilterBar(props: FilterBarProps) {
  const [sheet, setSheet] = useState(false);
  const { rows } = props.list;
  const count = usedIn(rows, props.query).length;
  return (
    <>
      <section aria-label="Filters" className="flex flex-wrap items-center gap-2 max-md:hidden">
        {formsOf(rows).map((form) => (
          <FilterPopover key={form} form={form} {...props} />
        ))}
      </section>
      <Button className="md:hidden" icon={<ListFilter aria-hidden="true" />} onClick={() => setSheet(true)}>
        Filters{count > 0 && ` (${count})`}
      </Button>
      {sheet && <FilterSheet {...props} onClose={() => setSheet(false)} />}
    </>
  );
}

function FilterPopover({ form, list, query, ...business }: FilterBarProps & { form: string }) {
  const [open, setOpen] = useState(false);
  const { rows, Form, loadForm } = list;
  const used = usedIn(rows, query).some(({ row }) => row.form === form);
  const isNarrow = rows.every(([, row]) => row.form !== form || row.kind === "words");
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger asChild>
        <Button
          className={cn("gap-1 px-2.5", used && "border-accent text-accent")}
          onPointerEnter={() => void loadForm()}
          onFocus={() => void loadForm()}
        >
          {form}
          {used && <span className="sr-only">in use</span>}
          <ChevronDown aria-hidden="true" className="opacity-60" />
        </Button>
      </PopoverTrigger>
      <PopoverContent label={`Filter by ${form.toLowerCase()}`} className={isNarrow ? "w-52" : "w-80"}>
        <Form rows={rows} form={form} filters={query} {...business} onDone={() => setOpen(false)} />
      </PopoverContent>
    </Popover>
  );
}

type FilterChipsProps = {
  rows: FilterRows;
  filters: object;
  timeZone: string;
  options?: FilterOptions;
  onChange(patch: object): void;
};

/** Active filters, each with a remove button. */
export function FilterChips({ rows, filters, timeZone, options, onChange }: FilterChipsProps) {
  const chips = filterChips(rows, filters, timeZone, options);
  if (chips.length === 0) return null;
  return (
    <ul aria-label="Active filters" className="flex flex-wrap items-center gap-1.5">
      {chips.map(({ name, label, title }) => (
        <li
          key={name}
          title={title}
          className="flex h-6 max-w-full items-center rounded-md bg-accent-ground pl-2 text-accent text-xs"
        >
          <span className="truncate">{label}</span>
          <button
            type="button"
            className="flex size-6 shrink-0 items-center justify-center rounded-md hover:bg-line print:hidden"
            aria-label={`Remove filter ${label}`}
            onClick={() => onChange({ [name]: undefined })}
          >
            <X aria-hidden="true" className="size-3.5" />
          </button>
        </li>
      ))}
      <li>
        <Button size="sm" variant="ghost" className="h-6 print:hidden" onClick={() => onChange(noFilters(rows))}>
          Clear all
        </Button>
      </li>
    </ul>
  );
}
