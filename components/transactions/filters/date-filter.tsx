"use client";

import { useState } from "react";
import { cn } from "@/components/ui/class-names";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { DATE_PRESETS, type DatePreset, isDay } from "@/lib/client/created-range";
import { FilterForm } from "./filter-form";
import type { FilterProps } from "./filter-props";

/** Presets and a range of days; `timeZone` is the business's, and is named. */
export function DateFilter({ filters, onChange, onDone, timeZone }: FilterProps & { timeZone: string }) {
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
