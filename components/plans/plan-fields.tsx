"use client";

import type { ReactNode } from "react";
import { Controller, type UseFormReturn, useWatch } from "react-hook-form";
import { PriceInput } from "@/components/forms/price-input";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { RadioCards } from "@/components/ui/radio-cards";
import { Select } from "@/components/ui/select";
import { Textarea } from "@/components/ui/textarea";
import type { CurrencyOption } from "@/lib/client/currency-options";
import type { PlanFormValues } from "@/lib/client/plan-form";
import { PLAN_TYPE_LABELS, PLAN_TYPE_SENTENCES } from "@/lib/client/plan-text";
import type { CreatePlanBody, PlanType } from "@/lib/contract/plan";
import { hasPlanField } from "@/lib/contract/plan-rules";

export type PlanForm = UseFormReturn<PlanFormValues, unknown, CreatePlanBody>;

const TYPES = (Object.keys(PLAN_TYPE_LABELS) as PlanType[]).map((value) => ({
  value,
  label: PLAN_TYPE_LABELS[value],
  description: PLAN_TYPE_SENTENCES[value],
}));

/** Name and note, which can always be changed. */
export function DescriptionFields({ form }: { form: PlanForm }) {
  const { errors } = form.formState;
  return (
    <>
      <Field label="Name" error={errors.name?.message} hint="Unique among your plans, at most 50 characters.">
        {(props) => <Input {...props} {...form.register("name")} autoComplete="off" />}
      </Field>
      <Field label="Note" optional error={errors.description?.message} hint="For you and your team.">
        {(props) => <Textarea {...props} {...form.register("description")} rows={2} />}
      </Field>
    </>
  );
}

type PriceFieldsProps = { form: PlanForm; currencies: readonly CurrencyOption[]; locked: boolean };

/** What buyers agree to: type, price and timing. */
export function PriceFields({ form, currencies, locked }: PriceFieldsProps) {
  const [type, currency] = useWatch({ control: form.control, name: ["type", "currency"] });
  const { errors } = form.formState;
  return (
    <fieldset disabled={locked} className="flex min-w-0 flex-col gap-5">
      <legend className="sr-only">Price and timing</legend>
      <Controller
        control={form.control}
        name="type"
        render={({ field }) => (
          <RadioCards
            legend="Type"
            options={TYPES}
            value={field.value}
            onChange={field.onChange}
            columns={2}
            error={errors.type?.message}
          />
        )}
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Price" error={errors.full_price_amount?.message}>
          {(props) => <PriceInput {...props} {...form.register("full_price_amount")} currency={currency} />}
        </Field>
        <Field label="Currency" error={errors.currency?.message}>
          {(props) => (
            <Select {...props} {...form.register("currency")}>
              {currencies.map(({ code, name }) => (
                <option key={code} value={code}>
                  {code} – {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      {hasPlanField(type, "billing_frequency_value") && (
        <PeriodFields form={form} label="Billed every" prefix="billing_frequency" />
      )}
      {hasPlanField(type, "trial_period_value") && (
        <PeriodFields form={form} label="Trial lasts" prefix="trial_period">
          {hasPlanField(type, "trial_price_amount") && (
            <Field
              label="Price of the trial"
              error={errors.trial_price_amount?.message}
              className="mt-5 sm:w-1/2 sm:pr-2.5"
            >
              {(props) => <PriceInput {...props} {...form.register("trial_price_amount")} currency={currency} />}
            </Field>
          )}
        </PeriodFields>
      )}
    </fieldset>
  );
}

type PeriodFieldsProps = {
  form: PlanForm;
  label: string;
  prefix: "billing_frequency" | "trial_period";
  children?: ReactNode;
};

function PeriodFields({ form, label, prefix, children }: PeriodFieldsProps) {
  const { errors } = form.formState;
  return (
    <div>
      <div className="flex items-start gap-2">
        <Field label={label} error={errors[`${prefix}_value`]?.message} className="w-40">
          {(props) => <Input {...props} {...form.register(`${prefix}_value`)} inputMode="numeric" autoComplete="off" />}
        </Field>
        {/* Level with the control beside it, whose label is visible. */}
        <Field label={`${label}: unit`} hideLabel className="w-32 pt-6.5">
          {(props) => (
            <Select {...props} {...form.register(`${prefix}_unit`)}>
              <option value="DAYS">days</option>
              <option value="WEEKS">weeks</option>
              <option value="MONTHS">months</option>
            </Select>
          )}
        </Field>
      </div>
      {children}
    </div>
  );
}
