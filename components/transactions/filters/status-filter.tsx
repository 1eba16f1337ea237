"use client";

import { Checkbox } from "@/components/ui/checkbox";
import { StatusBadge } from "@/components/ui/status-badge";
import { TRANSACTION_STATUSES } from "@/lib/contract/transaction-words";
import type { FilterProps } from "./filter-props";

export function StatusFilter({ filters, onChange }: FilterProps) {
  const { statuses } = filters;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">Status</legend>
      {TRANSACTION_STATUSES.map((status) => (
        <Checkbox
          key={status}
          label={<StatusBadge status={status} />}
          checked={statuses.includes(status)}
          onChange={(event) =>
            onChange({
              statuses: TRANSACTION_STATUSES.filter((other) =>
                other === status ? event.target.checked : statuses.includes(other),
              ),
            })
          }
        />
      ))}
    </fieldset>
  );
}
