"use client";

import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/field";
import { Sheet } from "@/components/ui/modal";
import { FILTER_FORMS } from "@/lib/contract/transactions/filters";
import type { TransactionQuery } from "@/lib/contract/transactions/query";
import { FilterForm } from "./filter-forms";

const SORTS = [
  ["created_at desc", "Newest first"],
  ["created_at asc", "Oldest first"],
  ["amount desc", "Largest amount first"],
  ["amount asc", "Smallest amount first"],
  ["status asc", "By status"],
  ["status desc", "By status, reversed"],
] as const;

export type FilterBarProps = {
  query: TransactionQuery;
  timeZone: string;
  currencies: readonly string[];
  onChange: (patch: Partial<TransactionQuery>) => void;
};

/** All filters and the sort order, for narrow screens without column headings. */
export function FilterSheet({ query, onClose, ...business }: FilterBarProps & { onClose: () => void }) {
  const { onChange } = business;
  return (
    <Sheet
      open
      onOpenChange={onClose}
      side="bottom"
      title="Filters"
      footer={
        <Button variant="primary" onClick={onClose}>
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
        {FILTER_FORMS.map((form) => (
          <section key={form} aria-label={form}>
            <h3 className="mb-2 font-medium">{form}</h3>
            <FilterForm form={form} filters={query} {...business} />
          </section>
        ))}
      </div>
    </Sheet>
  );
}
