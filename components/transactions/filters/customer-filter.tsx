"use client";

import { useState } from "react";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { isText } from "@/lib/client/transaction-query";
import { FilterForm } from "./filter-form";
import type { FilterProps } from "./filter-props";

const NONE = { customerEmail: null, customerId: null, subscriptionId: null, last4: null };

/** Who paid, and with what: each matches exactly. */
export function CustomerFilter({ filters, onChange, onDone }: FilterProps) {
  const [error, setError] = useState<string | undefined>();
  const used = [filters.customerEmail, filters.customerId, filters.subscriptionId, filters.last4].some(
    (value) => value !== null,
  );

  const apply = ({ email = "", customer = "", subscription = "", last4 = "" }: Record<string, string>) => {
    if (last4 !== "" && !/^\d{4}$/.test(last4)) return setError("Write exactly four digits.");
    setError(undefined);
    const text = (value: string, max: number) => (value === "" || !isText(value) ? null : value.slice(0, max));
    onChange({
      customerEmail: text(email, 254),
      customerId: text(customer, 255),
      subscriptionId: text(subscription, 255),
      last4: last4 || null,
    });
    onDone?.();
  };

  return (
    <FilterForm
      key={JSON.stringify([filters.customerEmail, filters.customerId, filters.subscriptionId, filters.last4])}
      onApply={apply}
      onRemove={
        used
          ? () => {
              onChange(NONE);
              onDone?.();
            }
          : undefined
      }
    >
      <Field label="Customer e-mail" hint="The whole address, in any case.">
        {(field) => (
          <Input
            {...field}
            name="email"
            maxLength={254}
            autoComplete="off"
            defaultValue={filters.customerEmail ?? ""}
          />
        )}
      </Field>
      <Field label="Customer id" hint="Your own id, exactly.">
        {(field) => (
          <Input
            {...field}
            name="customer"
            maxLength={255}
            autoComplete="off"
            defaultValue={filters.customerId ?? ""}
          />
        )}
      </Field>
      <Field label="Subscription id">
        {(field) => (
          <Input
            {...field}
            name="subscription"
            maxLength={255}
            autoComplete="off"
            placeholder="sub_…"
            defaultValue={filters.subscriptionId ?? ""}
          />
        )}
      </Field>
      <Field label="Last four digits of the card" error={error}>
        {(field) => (
          <Input
            {...field}
            name="last4"
            inputMode="numeric"
            maxLength={4}
            autoComplete="off"
            defaultValue={filters.last4 ?? ""}
          />
        )}
      </Field>
    </FilterForm>
  );
}
