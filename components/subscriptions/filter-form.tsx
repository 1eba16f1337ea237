"use client";

import { FilterForm, type FilterFormProps } from "@/components/lists/filter-forms";
import type { SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";
import { SubscriptionBadge } from "./status";

const DETAILS = {
  q: { hint: "Part of the id or the e-mail address." },
  customer_id: { control: "Customer id", hint: "Your own id, exactly." },
};

/** The filters of subscriptions. */
export function SubscriptionFilterForm(props: FilterFormProps) {
  return <FilterForm {...props} details={DETAILS} labelOf={badgeOf} />;
}

const badgeOf = (name: string, word: string) =>
  name === "status" ? <SubscriptionBadge status={word as SubscriptionStatus} /> : null;
