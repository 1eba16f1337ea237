"use client";

import { type ReactNode, useState } from "react";
import { StatusBadge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Field, Input, Select } from "@/components/ui/field";
import { cn } from "@/components/ui/styles";
import { AMOUNT_NOTE, brandLabel } from "@/lib/client/transactions/filter-chips";
import { amountText, CURRENCY_DIGITS, DEFAULT_UNIT, MINOR_UNITS, parseAmount } from "@/lib/contract/currencies";
import { DATE_PRESETS, type DatePreset, isDay } from "@/lib/contract/transactions/created-range";
import { isText, type TransactionFilters } from "@/lib/contract/transactions/query";
import { CARD_BRANDS, TRANSACTION_STATUSES } from "@/lib/contract/transactions/words";
import type { FilterName } from "./filter-bar";

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

/** What every filter's form gets: the filters as they are, and how to change some of them. */
type FilterProps = {
  filters: TransactionFilters;
  onChange: (patch: Partial<TransactionFilters>) => void;
  /** The filter is done with: a popover closes. */
  onDone?: () => void;
};

type FilterFormProps = {
  onApply: (data: Record<string, string>) => void;
  /** Absent when the filter is not in use. */
  onRemove?: (() => void) | undefined;
  children: ReactNode;
};

/** Typed filters count when they are complete: by Enter or the button. */
function FilterForm({ onApply, onRemove, children }: FilterFormProps) {
  return (
    <form
      className="flex flex-col gap-3"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const data = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()]);
        onApply(Object.fromEntries(data));
      }}
    >
      {children}
      <div className="flex gap-2">
        <Button type="submit" size="sm" variant="primary">
          Apply
        </Button>
        {onRemove && (
          <Button size="sm" variant="ghost" onClick={onRemove}>
            Remove filter
          </Button>
        )}
      </div>
    </form>
  );
}

function StatusFilter({ filters, onChange }: FilterProps) {
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

function BrandFilter({ filters, onChange }: FilterProps) {
  const { brands } = filters;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">Card brand</legend>
      {CARD_BRANDS.map((brand) => (
        <Checkbox
          key={brand}
          label={brandLabel(brand)}
          checked={brands.includes(brand)}
          onChange={(event) =>
            onChange({
              brands: CARD_BRANDS.filter((other) => (other === brand ? event.target.checked : brands.includes(other))),
            })
          }
        />
      ))}
    </fieldset>
  );
}

const UNITS = [...CURRENCY_DIGITS.keys()].toSorted();

function AmountFilter({ filters, onChange, onDone }: FilterProps) {
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

/** Presets and a range of days; `timeZone` is the business's, and is named. */
function DateFilter({ filters, onChange, onDone, timeZone }: FilterProps & { timeZone: string }) {
  const { created } = filters;
  const [error, setError] = useState<string | undefined>();
  const preset = created && "preset" in created ? created.preset : null;
  const range = created && !("preset" in created) ? created : null;
  const day = (moment: string | null | undefined) => (moment && isDay(moment) ? moment : undefined);

  const apply = ({ from = "", to = "" }: Record<string, string>) => {
    if (from !== "" && to !== "" && from > to) return setError("The last day is before the first.");
    setError(undefined);
    onChange({ created: from === "" && to === "" ? null : { from: from || null, to: to || null } });
    onDone?.();
  };

  return (
    <div className="flex flex-col gap-3">
      <p className="text-soft text-xs">Days in {timeZone}, the time zone of your business</p>
      <div className="grid grid-cols-2 gap-1">
        {(Object.keys(DATE_PRESETS) as DatePreset[]).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === preset}
            className={cn("menu-item", name === preset && "bg-accent-ground font-medium text-accent")}
            onClick={() => {
              onChange({ created: name === preset ? null : { preset: name } });
              onDone?.();
            }}
          >
            {DATE_PRESETS[name]}
          </button>
        ))}
      </div>
      <div className="border-t pt-3">
        <FilterForm
          key={JSON.stringify(range)}
          onApply={apply}
          onRemove={
            created === null
              ? undefined
              : () => {
                  onChange({ created: null });
                  onDone?.();
                }
          }
        >
          <div className="grid grid-cols-2 gap-3">
            <Field label="From">
              {(field) => <Input {...field} type="date" name="from" defaultValue={day(range?.from)} />}
            </Field>
            <Field label="To, inclusive" error={error}>
              {(field) => <Input {...field} type="date" name="to" defaultValue={day(range?.to)} />}
            </Field>
          </div>
        </FilterForm>
      </div>
    </div>
  );
}

const NONE = { customerEmail: null, customerId: null, subscriptionId: null, last4: null };

/** Who paid, and with what: each matches exactly. */
function CustomerFilter({ filters, onChange, onDone }: FilterProps) {
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
