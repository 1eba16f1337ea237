"use client";

import { FilterForm, type FilterFormProps } from "@/components/lists/filter-forms";
import { StatusBadge } from "@/components/ui/badge";
import { FILTER_DETAILS } from "@/lib/contract/transactions/filter-details";

/** The filters of transactions. */
export function TransactionFilterForm(props: FilterFormProps) {
  return <FilterForm {...props} details={FILTER_DETAILS} labelOf={badgeOf} />;
}

const badgeOf = (name: string, word: string) => (name === "status" ? <StatusBadge status={word} /> : null);
