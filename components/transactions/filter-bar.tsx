"use client";

import { ChevronDown, ListFilter } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { Skeleton } from "@/components/ui/skeleton";
import { filterCount, type TransactionQuery } from "@/lib/client/transaction-query";
import { FILTER_KINDS } from "./filters/kinds";

// What is inside a popover comes when somebody reaches for one: the list itself does without.
const loadForms = () => import("./filters/form-of-kind").then((module) => module.FormOfKind);
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
