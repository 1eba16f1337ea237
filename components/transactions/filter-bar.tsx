"use client";

import { ChevronDown, ListFilter } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { Select } from "@/components/ui/select";
import { Sheet } from "@/components/ui/sheet";
import { filterCount, type TransactionFilters, type TransactionQuery } from "@/lib/client/transaction-query";
import { AmountFilter } from "./filters/amount-filter";
import { BrandFilter } from "./filters/brand-filter";
import { CustomerFilter } from "./filters/customer-filter";
import { DateFilter } from "./filters/date-filter";
import type { FilterProps } from "./filters/filter-props";
import { StatusFilter } from "./filters/status-filter";

type FilterBarProps = {
  query: TransactionQuery;
  timeZone: string;
  onChange: (patch: Partial<TransactionQuery>) => void;
};

type FilterKind = {
  name: string;
  isUsed: (filters: TransactionFilters) => boolean;
  form: (props: FilterProps, timeZone: string) => ReactNode;
  width: string;
};

const KINDS: readonly FilterKind[] = [
  { name: "Status", isUsed: (f) => f.statuses.length > 0, form: (props) => <StatusFilter {...props} />, width: "w-52" },
  { name: "Card", isUsed: (f) => f.brands.length > 0, form: (props) => <BrandFilter {...props} />, width: "w-44" },
  { name: "Amount", isUsed: (f) => f.amount !== null, form: (props) => <AmountFilter {...props} />, width: "w-80" },
  {
    name: "Date",
    isUsed: (f) => f.created !== null,
    form: (props, timeZone) => <DateFilter {...props} timeZone={timeZone} />,
    width: "w-80",
  },
  {
    name: "Customer",
    isUsed: (f) => [f.customerEmail, f.customerId, f.subscriptionId, f.last4].some((value) => value !== null),
    form: (props) => <CustomerFilter {...props} />,
    width: "w-80",
  },
];

/** A button per kind of filter; on narrow screens one for all of them. */
export function FilterBar(props: FilterBarProps) {
  return (
    <>
      <section aria-label="Filters" className="flex flex-wrap items-center gap-2 max-md:hidden">
        {KINDS.map((kind) => (
          <FilterPopover key={kind.name} kind={kind} {...props} />
        ))}
      </section>
      <FilterSheet {...props} />
    </>
  );
}

function FilterPopover({ kind, query, timeZone, onChange }: FilterBarProps & { kind: FilterKind }) {
  const [open, setOpen] = useState(false);
  const used = kind.isUsed(query);
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger asChild>
        <Button className={cn("gap-1 px-2.5", used && "border-accent text-accent")}>
          {kind.name}
          {used && <span className="sr-only">, in use</span>}
          <ChevronDown aria-hidden="true" className="opacity-60" />
        </Button>
      </PopoverTrigger>
      <PopoverContent label={`Filter by ${kind.name.toLowerCase()}`} className={kind.width}>
        {kind.form({ filters: query, onChange, onDone: () => setOpen(false) }, timeZone)}
      </PopoverContent>
    </Popover>
  );
}

const SORTS = [
  ["created_at desc", "Newest first"],
  ["created_at asc", "Oldest first"],
  ["amount desc", "Largest amount first"],
  ["amount asc", "Smallest amount first"],
  ["status asc", "By status"],
  ["status desc", "By status, reversed"],
] as const;

function FilterSheet({ query, timeZone, onChange }: FilterBarProps) {
  const [open, setOpen] = useState(false);
  const count = filterCount(query);
  return (
    <div className="md:hidden">
      <Button icon={<ListFilter aria-hidden="true" />} onClick={() => setOpen(true)}>
        Filters{count > 0 && ` (${count})`}
      </Button>
      <Sheet
        open={open}
        onOpenChange={setOpen}
        side="bottom"
        title="Filters"
        footer={
          <Button variant="primary" onClick={() => setOpen(false)}>
            Show results
          </Button>
        }
      >
        <div className="flex flex-col gap-5">
          <section aria-label="Sort">
            <label htmlFor="sort" className="mb-2 block font-medium">
              Sort
            </label>
            <Select
              id="sort"
              value={`${query.sort.field} ${query.sort.order}`}
              onChange={(event) => {
                const [field, order] = event.target.value.split(" ");
                onChange({ sort: { field, order } as TransactionQuery["sort"] });
              }}
            >
              {SORTS.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          </section>
          {KINDS.map((kind) => (
            <section key={kind.name} aria-label={kind.name}>
              <h3 className="mb-2 font-medium">{kind.name}</h3>
              {kind.form({ filters: query, onChange }, timeZone)}
            </section>
          ))}
        </div>
      </Sheet>
    </div>
  );
}
