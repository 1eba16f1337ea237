"use client";

import { ChevronDown, ListFilter, X } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/floating";
import { missingPart } from "@/components/ui/missing-part";
import { Skeleton } from "@/components/ui/skeleton";
import { cn } from "@/components/ui/styles";
import { filterChips } from "@/lib/client/transactions/filter-chips";
import {
  FILTER_FORMS,
  FILTER_ROWS,
  NO_FILTERS,
  type TransactionFilters,
  usedFilters,
} from "@/lib/contract/transactions/filters";
import type { FilterBarProps } from "./filter-sheet";

// Popover contents load on first use, to keep them out of the list's first load.
const loadForms = () => import("./filter-forms").then((module) => module.FilterForm, missingPart);
const FilterForm = dynamic(loadForms, { ssr: false, loading: () => <Skeleton className="h-36" /> });
const FilterSheet = dynamic(() => import("./filter-sheet").then((module) => module.FilterSheet, missingPart), {
  ssr: false,
});

/** A button per kind of filter; on narrow screens one for all of them. */
export function FilterBar(props: FilterBarProps) {
  const [sheet, setSheet] = useState(false);
  const count = usedFilters(props.query).length;
  return (
    <>
      <section aria-label="Filters" className="flex flex-wrap items-center gap-2 max-md:hidden">
        {FILTER_FORMS.map((form) => (
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

function FilterPopover({ form, query, ...business }: FilterBarProps & { form: string }) {
  const [open, setOpen] = useState(false);
  const used = usedFilters(query).some(({ row }) => row.form === form);
  const isNarrow = FILTER_ROWS.every(([, row]) => row.form !== form || row.kind === "words");
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger asChild>
        <Button
          className={cn("gap-1 px-2.5", used && "border-accent text-accent")}
          onPointerEnter={() => void loadForms()}
          onFocus={() => void loadForms()}
        >
          {form}
          {used && <span className="sr-only">in use</span>}
          <ChevronDown aria-hidden="true" className="opacity-60" />
        </Button>
      </PopoverTrigger>
      <PopoverContent label={`Filter by ${form.toLowerCase()}`} className={isNarrow ? "w-52" : "w-80"}>
        <FilterForm form={form} filters={query} {...business} onDone={() => setOpen(false)} />
      </PopoverContent>
    </Popover>
  );
}

type FilterChipsProps = {
  filters: TransactionFilters;
  timeZone: string;
  onChange: (patch: TransactionFilters) => void;
};

/** Active filters, each with a remove button. */
export function FilterChips({ filters, timeZone, onChange }: FilterChipsProps) {
  const chips = filterChips(filters, timeZone);
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
        <Button size="sm" variant="ghost" className="h-6 print:hidden" onClick={() => onChange(NO_FILTERS)}>
          Clear all
        </Button>
      </li>
    </ul>
  );
}
