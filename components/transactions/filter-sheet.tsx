"use client";

import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/field";
import { Sheet } from "@/components/ui/sheet";
import type { TransactionQuery } from "@/lib/contract/transactions/query";
import type { FilterBarProps } from "./filter-bar";
import { FILTER_KINDS } from "./filter-bar";
import { FormOfKind } from "./filter-forms";

const SORTS = [
  ["created_at desc", "Newest first"],
  ["created_at asc", "Oldest first"],
  ["amount desc", "Largest amount first"],
  ["amount asc", "Smallest amount first"],
  ["status asc", "By status"],
  ["status desc", "By status, reversed"],
] as const;

/** All filters and the sort, for screens without room for headings and popovers. */
export function FilterSheet({ query, timeZone, onChange, onClose }: FilterBarProps & { onClose: () => void }) {
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
        {FILTER_KINDS.map(({ name }) => (
          <section key={name} aria-label={name}>
            <h3 className="mb-2 font-medium">{name}</h3>
            <FormOfKind kind={name} filters={query} timeZone={timeZone} onChange={onChange} />
          </section>
        ))}
      </div>
    </Sheet>
  );
}
