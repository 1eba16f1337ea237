"use client";

import { AmountFilter } from "./amount-filter";
import { BrandFilter } from "./brand-filter";
import { CustomerFilter } from "./customer-filter";
import { DateFilter } from "./date-filter";
import type { FilterProps } from "./filter-props";
import type { FilterName } from "./kinds";
import { StatusFilter } from "./status-filter";

export type FormOfKindProps = FilterProps & { kind: FilterName; timeZone: string };

/** The form of one kind of filter. */
export function FormOfKind({ kind, timeZone, ...props }: FormOfKindProps) {
  switch (kind) {
    case "Status":
      return <StatusFilter {...props} />;
    case "Card":
      return <BrandFilter {...props} />;
    case "Amount":
      return <AmountFilter {...props} />;
    case "Date":
      return <DateFilter {...props} timeZone={timeZone} />;
    case "Customer":
      return <CustomerFilter {...props} />;
    default:
      return kind satisfies never;
  }
}
