"use client";

import { type KeyboardEvent, useId, useState } from "react";
import type { FieldControlProps } from "@/components/ui/field";
import { Input, Select } from "@/components/ui/field";
import { cn } from "@/components/ui/styles";
import { moneyTextWithCode } from "@/lib/contract/format";
import { type PlanOption, priceText } from "@/lib/contract/plans/schedule";

type PlanPickerProps = FieldControlProps & {
  plans: readonly PlanOption[];
  /** Plan id; empty while none is chosen. */
  value: string;
  onChange: (id: string) => void;
  onBlur: () => void;
};

/** Longer lists get a search box. */
const MAX_LISTED = 12;
const MAX_FOUND = 50;

const priceOf = ({ terms, amount, currency }: PlanOption) =>
  terms.every === null ? moneyTextWithCode(amount, currency) : priceText(terms, currency, moneyTextWithCode);
const labelOf = (plan: PlanOption) => `${plan.name} · ${priceOf(plan)}`;

export function PlanPicker(props: PlanPickerProps) {
  return props.plans.length <= MAX_LISTED ? <PlanSelect {...props} /> : <PlanSearch {...props} />;
}

function PlanSelect({ plans, value, onChange, ...rest }: PlanPickerProps) {
  return (
    <Select {...rest} name="plan_id" value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="" disabled>
        Choose a plan
      </option>
      {plans.map((plan) => (
        <option key={plan.id} value={plan.id}>
          {labelOf(plan)}
        </option>
      ))}
    </Select>
  );
}

/** Searches plans by name: arrow keys move, Enter chooses, Escape cancels. */
function PlanSearch({ plans, value, onChange, onBlur, ...rest }: PlanPickerProps) {
  const listId = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const chosen = plans.find((plan) => plan.id === value);
  const found = matching(plans, typed ?? "");
  const open = typed !== null;

  function choose(plan: PlanOption | undefined) {
    if (!plan) return;
    onChange(plan.id);
    setTyped(null);
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (!open) setTyped("");
      setActive(open ? (active + step + found.length) % Math.max(found.length, 1) : 0);
    } else if (event.key === "Enter" && open) {
      event.preventDefault();
      choose(found[active]);
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      setTyped(null);
    }
  }

  return (
    <div className="relative">
      <Input
        {...rest}
        name="plan_id"
        role="combobox"
        aria-expanded={open}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={open && found[active] ? `${listId}-${active}` : undefined}
        autoComplete="off"
        placeholder="Search your plans"
        value={typed ?? (chosen ? labelOf(chosen) : "")}
        onChange={(event) => {
          setTyped(event.target.value);
          setActive(0);
        }}
        onClick={() => setTyped(typed ?? "")}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setTyped(null);
          onBlur();
        }}
      />
      <div
        id={listId}
        role="listbox"
        aria-label="Plans"
        hidden={!open}
        className="absolute inset-x-0 top-full z-10 mt-1 max-h-64 overflow-y-auto rounded-md border bg-ground p-1 text-[13px] shadow-(--shadow)"
      >
        {found.map((plan, index) => (
          <button
            key={plan.id}
            type="button"
            id={`${listId}-${index}`}
            role="option"
            aria-selected={plan.id === value}
            tabIndex={-1}
            ref={index === active ? bringIntoView : undefined}
            // Keep the focus in the box, or the list would close.
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => setActive(index)}
            onClick={() => choose(plan)}
            className={cn(
              "flex w-full items-baseline justify-between gap-4 rounded px-2 py-1.5 text-left",
              index === active && "bg-raised",
            )}
          >
            <span className="min-w-0 truncate">{plan.name}</span>
            <span className="shrink-0 text-soft tabular-nums">{priceOf(plan)}</span>
          </button>
        ))}
        {found.length === 0 && <p className="px-2 py-1.5 text-soft">No active plan matches.</p>}
      </div>
    </div>
  );
}

const bringIntoView = (option: HTMLElement | null) => option?.scrollIntoView({ block: "nearest" });

function matching(plans: readonly PlanOption[], typed: string): PlanOption[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return plans.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word))).slice(0, MAX_FOUND);
}
