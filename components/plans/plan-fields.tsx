"use client";

import type { ReactNode } from "react";
import { RadioCards } from "@/components/ui/choices";
import { PriceField, SelectField, TextareaField, TextField } from "@/components/ui/form";
import type { PlanFormValues } from "@/lib/client/plans/plan-form";
import type { FormState } from "@/lib/client/use-form";
import type { CurrencyOption } from "@/lib/contract/format";
import { hasPlanField, type PlanType } from "@/lib/contract/plans/plan";
import { PLAN_TYPE_LABELS, PLAN_TYPE_SENTENCES } from "@/lib/contract/plans/schedule";

type PlanFieldsProps = { form: FormState<PlanFormValues> };

const TYPES = (Object.keys(PLAN_TYPE_LABELS) as PlanType[]).map((value) => ({
  value,
  label: PLAN_TYPE_LABELS[value],
  description: PLAN_TYPE_SENTENCES[value],
}));

/** Name and note, which stay editable. */
export function DescriptionFields({ form }: PlanFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        hint="Unique among your plans, at most 50 characters."
        {...form.field("name")}
        autoComplete="off"
      />
      <TextareaField label="Note" optional hint="For you and your team." {...form.field("description")} rows={2} />
    </>
  );
}

type PriceFieldsProps = PlanFieldsProps & { currencies: readonly CurrencyOption[]; locked: boolean };

/** Terms: type, price and timing. */
export function PriceFields({ form, currencies, locked }: PriceFieldsProps) {
  const { type, currency } = form.values;
  return (
    <fieldset disabled={locked} className="flex min-w-0 flex-col gap-5">
      <legend className="sr-only">Price and timing</legend>
      <RadioCards legend="Type" options={TYPES} {...form.choice("type")} columns={2} />
      <div className="grid gap-5 sm:grid-cols-2">
        <PriceField label="Price" {...form.field("full_price_amount")} currency={currency} />
        <SelectField label="Currency" {...form.field("currency")}>
          <CurrencyOptions currencies={currencies} />
        </SelectField>
      </div>
      {hasPlanField(type, "billing_frequency_value") && (
        <PeriodFields form={form} label="Billed every" prefix="billing_frequency" />
      )}
      {hasPlanField(type, "trial_period_value") && (
        <PeriodFields form={form} label="Trial lasts" prefix="trial_period">
          {hasPlanField(type, "trial_price_amount") && (
            <PriceField
              label="Price of the trial"
              {...form.field("trial_price_amount")}
              currency={currency}
              fieldClassName="mt-5 sm:w-1/2 sm:pr-2.5"
            />
          )}
        </PeriodFields>
      )}
    </fieldset>
  );
}

export function CurrencyOptions({ currencies }: { currencies: readonly CurrencyOption[] }) {
  return currencies.map(({ code, name }) => (
    <option key={code} value={code}>
      {code} – {name}
    </option>
  ));
}

type PeriodFieldsProps = PlanFieldsProps & {
  label: string;
  prefix: "billing_frequency" | "trial_period";
  children?: ReactNode;
};

function PeriodFields({ form, label, prefix, children }: PeriodFieldsProps) {
  const plural = form.values[`${prefix}_value`].trim() === "1" ? "" : "s";
  return (
    <div>
      <div className="flex items-start gap-2">
        <TextField
          label={label}
          {...form.field(`${prefix}_value`)}
          inputMode="numeric"
          autoComplete="off"
          fieldClassName="w-40"
        />
        {/* Aligned with the control beside it, whose label is visible. */}
        <SelectField label={`${label}: unit`} hideLabel {...form.field(`${prefix}_unit`)} fieldClassName="w-32 pt-6.5">
          <option value="DAYS">day{plural}</option>
          <option value="WEEKS">week{plural}</option>
          <option value="MONTHS">month{plural}</option>
        </SelectField>
      </div>
      {children}
    </div>
  );
}
