"use client";

import { type ReactNode, useId, useRef, useState } from "react";
import { AmountError } from "@/components/ui/amount-error";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Field, Input, Select } from "@/components/ui/field";
import { cn } from "@/components/ui/styles";
import type { FilterOptions } from "@/lib/client/lists/filter-chips";
import { DEFAULT_UNIT, MINOR_UNITS } from "@/lib/contract/currencies";
import { wordLabel } from "@/lib/contract/format";
import {
  type AmountFilter as Amounts,
  type FilterRow,
  type FilterRows,
  problemOfText,
} from "@/lib/contract/lists/filters";
import { amountIn } from "@/lib/contract/transactions/filters";
import { DATE_PRESETS, type DatePreset, isDay, type TimeRange } from "@/lib/contract/transactions/time-range";
import { type AmountChoice, plainAmount, readTypedAmount } from "@/lib/contract/typed-amount";

export type FilterFormProps = {
  rows: FilterRows;
  form: string;
  filters: object;
  onChange(patch: object): void;
  /** Called when the filter is applied, to close the popover. */
  onDone?: () => void;
  timeZone: string;
  /** The merchant's currencies, most used first. */
  currencies: readonly string[];
  options?: FilterOptions | undefined;
};

/** A list's filters, and what its controls say. */
type FormSpec = {
  details?: Readonly<Record<string, { control?: string; hint?: string; placeholder?: string }>>;
  /** A value's label, if it isn't its name. */
  labelOf?: (name: string, word: string) => ReactNode;
};

/** Values by filter name; which kind each has is known from its row. */
type Values = {
  readonly amount?: Amounts;
  readonly currency?: readonly string[];
  readonly [name: string]: unknown;
};
type FormProps = Omit<FilterFormProps, "rows" | "form" | "filters"> & FormSpec & { filters: Values };
type RowProps<Kind = FilterRow["kind"]> = FormProps & { name: string; row: FilterRow & { kind: Kind } };

/** Controls of all filters in one form. */
export function FilterForm({ form, rows: all, ...given }: FilterFormProps & FormSpec) {
  const filters = given.filters as Values;
  const { amount } = filters;
  // A typed amount keeps its number when the currency changes: 50 USD becomes 50 EUR.
  const onChange = (patch: Values) => {
    const [currency, ...more] = patch.currency ?? [];
    const isOfIt = currency === undefined || more.length > 0 || amount === undefined;
    given.onChange(isOfIt ? patch : { amount: amountIn(currency as Amounts["unit"], amount), ...patch });
  };
  const props = { ...given, filters, onChange };
  const rows = all.filter(([, row]) => row.form === form);
  const texts = rows.flatMap(([name, row]) => (row.kind === "text" ? [{ name, row }] : []));
  return (
    <div className="flex flex-col gap-4">
      {rows.map(([name, row]) => (
        <div key={name} className="empty:hidden">
          {row.label !== form && rows.length > 1 && row.kind !== "text" && (
            <p className="mb-2 font-medium">{row.label}</p>
          )}
          <RowForm name={name} row={row} {...props} />
        </div>
      ))}
      {texts.length > 0 && <TextFilters texts={texts} {...props} />}
    </div>
  );
}

function RowForm({ row, ...props }: RowProps) {
  switch (row.kind) {
    case "words":
      return <WordsFilter row={row} {...props} />;
    case "amount":
      return <AmountFilter {...props} />;
    case "times":
      return <TimesFilter {...props} />;
    case "text":
      return null;
    default:
      return row satisfies never;
  }
}

type TypedFiltersProps = {
  /** Current filter value: the form resets when it changes elsewhere. */
  value: unknown;
  onApply: (data: Record<string, string>) => void;
  onRemove: () => void;
  children: ReactNode;
};

/** Typed filters apply on Enter or the button. */
function TypedFilters({ value, onApply, onRemove, children }: TypedFiltersProps) {
  const text = JSON.stringify(value) ?? "{}";
  return (
    <form
      key={text}
      className="flex flex-col gap-3"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const data = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()]);
        onApply(Object.fromEntries(data));
      }}
    >
      {children}
      <div className="flex gap-2 bg-ground in-[.floating]:sticky in-[.floating]:-bottom-3 in-[.floating]:py-2">
        <Button type="submit" size="sm" variant="primary">
          Apply
        </Button>
        {text !== "{}" && (
          <Button size="sm" variant="ghost" onClick={onRemove}>
            Remove filter
          </Button>
        )}
      </div>
    </form>
  );
}

/** Longer lists of options fold into a dropdown. */
const MAX_CHECKBOXES = 12;

function WordsFilter({ name, row, filters, onChange, onDone, currencies, labelOf }: RowProps<"words">) {
  const chosen = (filters[name] ?? []) as readonly string[];
  if (row.values.length > MAX_CHECKBOXES) {
    const several = chosen.length > 1 ? [chosen.join(",")] : [];
    const likely = name === "currency" ? currencies : [];
    return (
      <Select
        aria-label={row.label}
        value={chosen.join(",")}
        onChange={(event) => onChange({ [name]: event.target.value.split(",").filter(Boolean) })}
      >
        <option value="">Any</option>
        {[...several, ...likely, ...row.values.filter((word) => !likely.includes(word))].map((word) => (
          <option key={word} value={word}>
            {row.labels?.[word] ?? word}
          </option>
        ))}
      </Select>
    );
  }
  if (row.single) {
    return (
      <fieldset className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-1">
        <legend className="sr-only">{row.label}</legend>
        {row.values.map((word) => (
          <Choice
            key={word}
            chosen={chosen.includes(word)}
            onClick={() => {
              onChange({ [name]: chosen.includes(word) ? [] : [word] });
              onDone?.();
            }}
          >
            {labelOf?.(name, word) ?? row.labels?.[word] ?? wordLabel(word)}
          </Choice>
        ))}
      </fieldset>
    );
  }
  const toggled = (word: string, isOn: boolean) =>
    row.values.filter((other) => (other === word ? isOn : chosen.includes(other)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">{row.label}</legend>
      {row.values.map((word) => (
        <Checkbox
          key={word}
          label={labelOf?.(name, word) ?? row.labels?.[word] ?? wordLabel(word)}
          checked={chosen.includes(word)}
          onChange={(event) => onChange({ [name]: toggled(word, event.target.checked) })}
        />
      ))}
    </fieldset>
  );
}

/** One of several values; pressing it again removes the filter. */
function Choice({ chosen, onClick, children }: { chosen: boolean; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-pressed={chosen}
      className={cn("menu-item", chosen && "bg-accent-ground font-medium text-accent")}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

/** Amounts are in the filtered currency, or else the merchant's most used one. */
function AmountFilter({ filters, onChange, onDone, currencies }: Omit<RowProps, "row">) {
  const { amount, currency = [] } = filters;
  const unit = (currency.length === 1 ? currency[0] : amount?.unit) ?? currencies[0] ?? DEFAULT_UNIT;
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const inputs = { min: useRef<HTMLInputElement>(null), max: useRef<HTMLInputElement>(null) };
  const id = useId();
  const shown = (minor: number | null | undefined) => (minor == null || !amount ? "" : plainAmount(minor, amount.unit));
  const set = (value: Amounts | undefined) => {
    onChange({ amount: value });
    onDone?.();
  };
  const apply = ({ min = "", max = "" }: Record<string, string>) => {
    const read = (text: string) => (text === "" ? { minor: null, message: null } : readTypedAmount(text, unit));
    const [low, high] = [read(min), read(max)];
    const found: Wrong | null =
      low.minor === null && low.message !== null
        ? { ...low, end: "min" }
        : high.minor === null && high.message !== null
          ? { ...high, end: "max" }
          : low.minor !== null && high.minor !== null && low.minor > high.minor
            ? { message: "The minimum is above the maximum.", end: "max" }
            : null;
    setWrong(found);
    if (found) inputs[found.end].current?.focus();
    else set(low.minor === null && high.minor === null ? undefined : { gte: low.minor, lte: high.minor, unit });
  };
  const choose = (end: Wrong["end"], text: string) => {
    fill(inputs[end].current, text);
    setWrong(null);
  };
  const control = (end: Wrong["end"]) => ({
    name: end,
    ref: inputs[end],
    inputMode: "decimal" as const,
    autoComplete: "off",
    ...(wrong?.end === end && { "aria-invalid": true, "aria-describedby": id }),
  });

  return (
    <TypedFilters value={amount} onApply={apply} onRemove={() => set(undefined)}>
      <div className="grid grid-cols-2 gap-3">
        <Field label={`At least, ${unitWords(unit)}`}>
          {(field) => <Input {...field} {...control("min")} defaultValue={shown(amount?.gte)} />}
        </Field>
        <Field label={`At most, ${unitWords(unit)}`}>
          {(field) => <Input {...field} {...control("max")} defaultValue={shown(amount?.lte)} />}
        </Field>
      </div>
      {/* Reserves the line, so that the buttons below don't move. */}
      <p id={id} className="-my-2 min-h-5 text-red text-xs leading-5">
        {wrong && <AmountError {...wrong} onChoose={(text) => choose(wrong.end, text)} />}
      </p>
    </TypedFilters>
  );
}

function fill(input: HTMLInputElement | null, text: string): void {
  if (!input) return;
  input.value = text;
  input.focus();
}

/** Error at one end of a range. */
type Wrong = { end: "min" | "max"; message: string; choices?: readonly AmountChoice[] };

const unitWords = (unit: string) => (unit === MINOR_UNITS ? "minor units" : unit);

/** Presets and a range of days in the merchant's `timeZone`, which is shown. */
function TimesFilter({ name, filters, onChange, onDone, timeZone }: Omit<RowProps, "row">) {
  const times = filters[name] as TimeRange | undefined;
  const [error, setError] = useState<string | undefined>();
  const preset = times && "preset" in times ? times.preset : null;
  const range = times && !("preset" in times) ? times : null;
  const day = (moment: string | null | undefined) => (moment && isDay(moment) ? moment : undefined);
  const set = (value: typeof times) => {
    onChange({ [name]: value });
    onDone?.();
  };
  const apply = ({ from = "", to = "" }: Record<string, string>) => {
    if (from !== "" && to !== "" && from > to) return setError("The last day is before the first.");
    setError(undefined);
    set(from === "" && to === "" ? undefined : { from: from || null, to: to || null });
  };

  return (
    <div className="flex flex-col gap-3">
      <p className="text-soft text-xs">Days in {timeZone}, the time zone of your business</p>
      <div className="grid grid-cols-2 gap-1">
        {(Object.keys(DATE_PRESETS) as DatePreset[]).map((some) => (
          <Choice
            key={some}
            chosen={some === preset}
            onClick={() => set(some === preset ? undefined : { preset: some })}
          >
            {DATE_PRESETS[some]}
          </Choice>
        ))}
      </div>
      <div className="border-t pt-3">
        <TypedFilters value={times} onApply={apply} onRemove={() => set(undefined)}>
          <div className="grid grid-cols-2 gap-3">
            <Field label="From">
              {(field) => <Input {...field} type="date" name="from" defaultValue={day(range?.from)} />}
            </Field>
            <Field label="To, inclusive" error={error}>
              {(field) => <Input {...field} type="date" name="to" defaultValue={day(range?.to)} />}
            </Field>
          </div>
        </TypedFilters>
      </div>
    </div>
  );
}

type TextFiltersProps = FormProps & {
  texts: readonly { name: string; row: FilterRow & { kind: "text" } }[];
};

/** Each filter matches exactly. */
function TextFilters({ texts, filters, onChange, onDone, details, options }: TextFiltersProps) {
  const [errors, setErrors] = useState<Record<string, string>>({});
  const set = (values: Record<string, string>) => {
    onChange(Object.fromEntries(texts.map(({ name }) => [name, values[name] || undefined])));
    onDone?.();
  };
  const apply = (data: Record<string, string>) => {
    const wrong = texts.flatMap(({ name, row }) => {
      const problem = data[name] ? problemOfText(row, data[name]) : null;
      return problem === null ? [] : [[name, problem]];
    });
    setErrors(Object.fromEntries(wrong));
    if (wrong.length === 0) set(data);
  };
  const used = Object.fromEntries(
    texts.flatMap(({ name }) => (filters[name] === undefined ? [] : [[name, filters[name]]])),
  );

  return (
    <TypedFilters value={used} onApply={apply} onRemove={() => set({})}>
      {texts.map(({ name, row }) => (
        <Field
          key={name}
          label={details?.[name]?.control ?? row.label}
          hint={details?.[name]?.hint}
          error={errors[name]}
        >
          {(field) =>
            options?.[name] ? (
              <Select {...field} name={name} defaultValue={(used[name] as string | undefined) ?? ""}>
                <option value="">Any</option>
                {options[name].map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </Select>
            ) : (
              <Input
                {...field}
                name={name}
                maxLength={row.max}
                inputMode={row.digits && "numeric"}
                autoComplete="off"
                placeholder={details?.[name]?.placeholder}
                defaultValue={used[name] as string | undefined}
              />
            )
          }
        </Field>
      ))}
    </TypedFilters>
  );
}
