"use client";

import { useState } from "react";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { amountText, DEFAULT_UNIT, MINOR_UNITS, parseAmount } from "@/lib/client/amount-text";
import { AMOUNT_NOTE } from "@/lib/client/transaction-chips";
import { CURRENCY_DIGITS } from "@/lib/contract/currencies";
import { FilterForm } from "./filter-form";
import type { FilterProps } from "./filter-props";

const UNITS = [...CURRENCY_DIGITS.keys()].toSorted();

export function AmountFilter({ filters, onChange, onDone }: FilterProps) {
  const { amount } = filters;
  const [errors, setErrors] = useState<{ min?: string; max?: string }>({});
  const shown = (minor: number | null | undefined) => (minor == null || !amount ? "" : amountText(minor, amount.unit));

  const apply = ({ min = "", max = "", unit = DEFAULT_UNIT }: Record<string, string>) => {
    const [gte, lte] = [min, max].map((text) => (text === "" ? null : parseAmount(text, unit)));
    const wrong = {
      ...(min !== "" && gte === null && { min: "Write an amount such as 49.90." }),
      ...(max !== "" && lte === null && { max: "Write an amount such as 49.90." }),
      ...(gte != null && lte != null && gte > lte && { max: "Must not be below the smallest." }),
    };
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) return;
    onChange({ amount: gte == null && lte == null ? null : { gte: gte ?? null, lte: lte ?? null, unit } });
    onDone?.();
  };

  return (
    <FilterForm
      key={JSON.stringify(amount)}
      onApply={apply}
      onRemove={
        amount === null
          ? undefined
          : () => {
              onChange({ amount: null });
              onDone?.();
            }
      }
    >
      <div className="grid grid-cols-2 gap-3">
        <Field label="At least" error={errors.min}>
          {(field) => (
            <Input {...field} name="min" inputMode="decimal" autoComplete="off" defaultValue={shown(amount?.gte)} />
          )}
        </Field>
        <Field label="At most" error={errors.max}>
          {(field) => (
            <Input {...field} name="max" inputMode="decimal" autoComplete="off" defaultValue={shown(amount?.lte)} />
          )}
        </Field>
      </div>
      <Field label="Typed in" hint={AMOUNT_NOTE}>
        {(field) => (
          <Select {...field} name="unit" defaultValue={amount?.unit ?? DEFAULT_UNIT}>
            {[DEFAULT_UNIT, "EUR", "GBP", "JPY"].map((unit) => (
              <option key={unit}>{unit}</option>
            ))}
            <option value={MINOR_UNITS}>Minor units (as the API)</option>
            <optgroup label="All currencies">
              {UNITS.map((unit) => (
                <option key={unit}>{unit}</option>
              ))}
            </optgroup>
          </Select>
        )}
      </Field>
    </FilterForm>
  );
}
