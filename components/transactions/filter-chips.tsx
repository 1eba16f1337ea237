"use client";

import { X } from "lucide-react";
import { Button } from "@/components/ui/button";
import { filterChips } from "@/lib/client/transaction-chips";
import { NO_FILTERS, type TransactionFilters } from "@/lib/client/transaction-query";

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
