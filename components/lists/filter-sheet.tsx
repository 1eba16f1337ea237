"use client";

import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/field";
import { Sheet } from "@/components/ui/modal";
import { formsOf } from "@/lib/contract/lists/filters";
import type { FilterBarProps } from "./filter-bar";

/** All filters and the sort order, for narrow screens without column headings. */
export function FilterSheet({ list, query, onClose, ...business }: FilterBarProps & { onClose: () => void }) {
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
        {list.sorts.length > 0 && (
          <section aria-label="Sort">
            <label htmlFor="sort" className="mb-2 block font-medium">
              Sort
            </label>
            <Select
              id="sort"
              value={`${query.sort.field} ${query.sort.order}`}
              onChange={(event) => {
                const [field, order] = event.target.value.split(" ");
                onChange({ sort: { field, order } });
              }}
            >
              {list.sorts.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          </section>
        )}
        {formsOf(list.rows).map((form) => (
          <section key={form} aria-label={form}>
            <h3 className="mb-2 font-medium">{form}</h3>
            <list.Form rows={list.rows} form={form} filters={query} {...business} />
          </section>
        ))}
      </div>
    </Sheet>
  );
}
