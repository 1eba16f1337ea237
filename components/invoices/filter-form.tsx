"use client";

import { FilterForm, type FilterFormProps } from "@/components/lists/filter-forms";
import type { InvoiceStatus } from "@/lib/contract/subscriptions/statuses";
import { InvoiceBadge } from "./status";

const DETAILS = {
  q: { hint: "A number, an id, or part of the customer’s id or e-mail address." },
  customer_id: { control: "Customer id", hint: "Your own id, exactly." },
  subscription_id: { control: "Subscription id", placeholder: "sub_…" },
};

/** The filters of invoices. */
export function InvoiceFilterForm(props: FilterFormProps) {
  return <FilterForm {...props} details={DETAILS} labelOf={badgeOf} />;
}

const badgeOf = (name: string, word: string) =>
  name === "status" ? <InvoiceBadge status={word as InvoiceStatus} /> : null;
