"use client";

import { type ReactNode, useState } from "react";
import { type Control, Controller, type UseFormReturn, useWatch } from "react-hook-form";
import { FormFailure } from "@/components/ui/banner";
import { Field, Input, Select, Textarea } from "@/components/ui/field";
import { PriceInput } from "@/components/ui/form";
import { RadioCards } from "@/components/ui/radio-cards";
import { ApiError, failureText } from "@/lib/client/api";
import { EDITABLE_FIELDS, fieldWords, type PlanFormValues, termsTyped } from "@/lib/client/plans/plan-form";
import type { CurrencyOption } from "@/lib/contract/format";
import { type CreatePlanBody, hasPlanField, type PlanType } from "@/lib/contract/plans/plan";
import { PLAN_TYPE_LABELS, PLAN_TYPE_SENTENCES } from "@/lib/contract/plans/schedule";
import { PlanPreview } from "./plan-preview";

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

const FIELDS: readonly string[] = EDITABLE_FIELDS;

/** Puts a refusal of the API on the fields that it names, and the rest above the form. */
export function usePlanFailure(form: PlanForm): {
  failure: ReactNode;
  show(error: unknown): void;
  clear(): void;
} {
  const [text, setText] = useState<string | null>(null);

  function show(error: unknown): void {
    if (!(error instanceof ApiError)) {
      setText(failureText(error));
      return;
    }
    const named = error.errors.length > 0 ? error.errors : [{ param: error.param ?? "", message: error.detail }];
    const own = named.filter(({ param }) => FIELDS.includes(param));
    for (const [index, refusal] of own.entries()) {
      const name = refusal.param as (typeof EDITABLE_FIELDS)[number];
      form.setError(name, { type: "server", message: fieldWords(refusal) }, { shouldFocus: index === 0 });
    }
    if (own.length < named.length || own.length === 0) setText(failureText(error));
  }

  const failure = <FormFailure failure={{ text }} />;
  return { failure, show, clear: () => setText(null) };
}

type TypedPreviewProps = { control: Control<PlanFormValues, unknown, CreatePlanBody>; today: string };

/** The preview of what stands in the form, keystroke by keystroke. */
export function TypedPreview({ control, today }: TypedPreviewProps) {
  const values = useWatch({ control }) as PlanFormValues;
  return <PlanPreview terms={termsTyped(values)} currency={values.currency} today={today} />;
}
