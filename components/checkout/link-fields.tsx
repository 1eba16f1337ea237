"use client";

import { Checkbox } from "@/components/ui/checkbox";
import { RadioCards } from "@/components/ui/choices";
import { SelectField, TextField } from "@/components/ui/form";
import type { LinkEditValues, LinkFormValues } from "@/lib/client/checkout/link-form";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useEnvironmentNow } from "@/lib/client/time-display";
import type { FormState } from "@/lib/client/use-form";
import { scheduleText } from "@/lib/contract/checkout/terms";
import type { CurrencyOption } from "@/lib/contract/format";
import { addPeriods, dateIn, type PlanOption } from "@/lib/contract/plans/schedule";
import { SoldField } from "./session-fields";

type SoldFieldsProps = {
  form: FormState<LinkFormValues>;
  plans: readonly PlanOption[];
  currencies: readonly CurrencyOption[];
};

/** Item and usage, fixed once the link exists. */
export function SoldFields({ form, plans, currencies }: SoldFieldsProps) {
  const plan = plans.find(({ id }) => id === form.values.plan_id);
  const { merchant } = useDashboard();
  const now = useEnvironmentNow();
  return (
    <>
      <RadioCards
        legend="What does it sell?"
        columns={2}
        {...form.choice("sell")}
        options={[
          {
            value: "plan",
            label: "A plan",
            description: plans.length > 0 ? "Charges the plan’s price on the day." : "You have no active plans yet.",
            disabled: plans.length === 0,
          },
          { value: "amount", label: "An amount", description: "You set the price and describe what you sell." },
        ]}
      />
      <SoldField
        form={form}
        plans={plans}
        currencies={currencies}
        planHint={plan && subscriptionText(plan, dateIn(merchant.timeZone, new Date(now)))}
      />
      <RadioCards
        legend="How many times can it be paid?"
        columns={2}
        {...form.choice("use")}
        options={[
          { value: "many", label: "Many times", description: "Each customer who opens it pays separately." },
          { value: "once", label: "Once", description: "For one customer. It closes once paid." },
        ]}
      />
    </>
  );
}

/**
 * The terms that a customer who subscribes today agrees to; undefined for a one-time plan. `today`: calendar
 * date.
 */
function subscriptionText({ terms, currency }: PlanOption, today: string): string | undefined {
  const { every, trial } = terms;
  if (every === null) return undefined;
  const schedule = scheduleText({ terms, next_on: addPeriods(today, trial ?? every, 1) }, currency, "en");
  const once = trial === null ? "" : " Each customer gets one trial.";
  return `Starts a subscription. If bought today: ${schedule}.${once}`;
}

type WordFieldsProps<Values extends LinkEditValues> = { form: FormState<Values>; withPlan: boolean };

/** Texts and expiry, which can be changed at any time. */
export function WordFields<Values extends LinkEditValues>({ form, withPlan }: WordFieldsProps<Values>) {
  const { merchant } = useDashboard();
  const { field, values, set } = form as unknown as FormState<LinkEditValues>;
  return (
    <>
      <TextField
        label="Description"
        optional={withPlan}
        hint={withPlan ? "Shoppers see it below the plan’s name." : "Shoppers see it on the payment page."}
        {...field("description")}
        autoComplete="off"
      />
      <TextField label="Link name" optional hint="Only your team sees it." {...field("name")} autoComplete="off" />
      <div className="grid gap-5 sm:grid-cols-2">
        <SelectField label="Expires" {...field("expiry")}>
          <option value="never">Never</option>
          <option value="at">At a date and time …</option>
        </SelectField>
        {values.expiry === "at" && (
          <TextField
            label="Expires at"
            hint={`Your business time zone, ${merchant.timeZone}.`}
            {...field("expires_at")}
            type="datetime-local"
          />
        )}
      </div>
      <Checkbox
        label="Ask for the shopper’s e-mail address"
        description="Adds the payment to that customer’s lifetime total. Receipts go there, if you e-mail receipts."
        checked={values.asks_email}
        onChange={({ target }) => set({ asks_email: target.checked })}
      />
    </>
  );
}
