"use client";

import { ChevronDown, ListFilter, X } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { Skeleton } from "@/components/ui/skeleton";
import { cn } from "@/components/ui/styles";
import { filterChips } from "@/lib/client/transactions/filter-chips";
import {
  filterCount,
  NO_FILTERS,
  type TransactionFilters,
  type TransactionQuery,
} from "@/lib/contract/transactions/query";

// What is inside a popover comes when somebody reaches for one: the list itself does without.
const loadForms = () => import("./filter-forms").then((module) => module.FormOfKind);
const FormOfKind = dynamic(loadForms, { ssr: false, loading: () => <Skeleton className="h-36" /> });
const FilterSheet = dynamic(() => import("./filter-sheet").then((module) => module.FilterSheet), { ssr: false });

export type FilterBarProps = {
  query: TransactionQuery;
  timeZone: string;
  onChange: (patch: Partial<TransactionQuery>) => void;
};

/** A button per kind of filter; on narrow screens one for all of them. */
export function FilterBar(props: FilterBarProps) {
  const [sheet, setSheet] = useState(false);
  const count = filterCount(props.query);
  return (
    <>
      <section aria-label="Filters" className="flex flex-wrap items-center gap-2 max-md:hidden">
        {FILTER_KINDS.map((kind) => (
          <FilterPopover key={kind.name} kind={kind} {...props} />
        ))}
      </section>
      <Button className="md:hidden" icon={<ListFilter aria-hidden="true" />} onClick={() => setSheet(true)}>
        Filters{count > 0 && ` (${count})`}
      </Button>
      {sheet && <FilterSheet {...props} onClose={() => setSheet(false)} />}
    </>
  );
}

function FilterPopover({ kind, query, timeZone, onChange }: FilterBarProps & { kind: (typeof FILTER_KINDS)[number] }) {
  const [open, setOpen] = useState(false);
  const { name, width } = kind;
  const used = kind.isUsed(query);
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger asChild>
        <Button
          className={cn("gap-1 px-2.5", used && "border-accent text-accent")}
          onPointerEnter={() => void loadForms()}
          onFocus={() => void loadForms()}
        >
          {name}
          {used && <span className="sr-only">in use</span>}
          <ChevronDown aria-hidden="true" className="opacity-60" />
        </Button>
      </PopoverTrigger>
      <PopoverContent label={`Filter by ${name.toLowerCase()}`} className={width}>
        <FormOfKind kind={name} filters={query} timeZone={timeZone} onChange={onChange} onDone={() => setOpen(false)} />
      </PopoverContent>
    </Popover>
  );
}

type FilterChipsProps = {
  filters: TransactionFilters;
  timeZone: string;
  onChange: (patch: Partial<TransactionFilters>) => void;
};

/** What narrows the list, each with a way to be rid of it. */
export function FilterChips({ filters, timeZone, onChange }: FilterChipsProps) {
  const chips = filterChips(filters, timeZone);
  if (chips.length === 0) return null;
  return (
    <ul aria-label="Active filters" className="flex flex-wrap items-center gap-1.5">
      {chips.map(({ key, label, title, without }) => (
        <li
          key={key}
          title={title}
          className="flex h-6 max-w-full items-center rounded-md bg-accent-ground pl-2 text-accent text-xs"
        >
          <span className="truncate">{label}</span>
          <button
            type="button"
            className="flex size-6 shrink-0 items-center justify-center rounded-md hover:bg-line print:hidden"
            aria-label={`Remove filter ${label}`}
            onClick={() => onChange(without)}
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

export type FilterName = "Status" | "Card" | "Amount" | "Date" | "Customer";

/** The kinds of filter in their order: whether one is in use, and how wide its form is. */
export const FILTER_KINDS: readonly { name: FilterName; isUsed: (f: TransactionFilters) => boolean; width: string }[] =
  [
    { name: "Status", isUsed: (f) => f.statuses.length > 0, width: "w-52" },
    { name: "Card", isUsed: (f) => f.brands.length > 0, width: "w-44" },
    { name: "Amount", isUsed: (f) => f.amount !== null, width: "w-80" },
    { name: "Date", isUsed: (f) => f.created !== null, width: "w-80" },
    {
      name: "Customer",
      isUsed: (f) => [f.customerEmail, f.customerId, f.subscriptionId, f.last4].some((value) => value !== null),
      width: "w-80",
    },
  ];
