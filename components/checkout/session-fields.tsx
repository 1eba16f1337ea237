"use client";

import { type ReactNode, useId } from "react";
import { Controller, type UseFormReturn, useWatch } from "react-hook-form";
import { PriceInput } from "@/components/forms/price-input";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { RadioCards } from "@/components/ui/radio-cards";
import { Select } from "@/components/ui/select";
import type { SessionFormValues } from "@/lib/client/checkout/session-form";
import type { CurrencyOption } from "@/lib/client/currency-options";
import type { CreateClientSessionBody } from "@/lib/contract/client-session";
import { OriginList } from "./origin-list";
import { type PlanOption, PlanPicker } from "./plan-picker";

export type SessionForm = UseFormReturn<SessionFormValues, unknown, CreateClientSessionBody>;

type PriceFieldsProps = {
  form: SessionForm;
  plans: readonly PlanOption[];
  currencies: readonly CurrencyOption[];
};

/** An amount of its own, or the price of a plan. */
export function PriceFields({ form, plans, currencies }: PriceFieldsProps) {
  const [sell, currency] = useWatch({ control: form.control, name: ["sell", "currency"] });
  const { errors } = form.formState;
  return (
    <>
      <Controller
        control={form.control}
        name="sell"
        render={({ field }) => (
          <RadioCards
            legend="What is paid"
            columns={2}
            value={field.value}
            onChange={field.onChange}
            options={[
              { value: "amount", label: "An amount", description: "Set here, for this payment alone." },
              {
                value: "plan",
                label: "A plan",
                description:
                  plans.length > 0 ? "The price of a one-time plan of yours." : "You have no active one-time plan yet.",
                disabled: plans.length === 0,
              },
            ]}
          />
        )}
      />
      {sell === "amount" ? (
        <div className="grid gap-5 sm:grid-cols-2">
          <Field label="Amount" error={errors.amount?.message}>
            {(props) => <PriceInput {...props} {...form.register("amount")} currency={currency} />}
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
      ) : (
        <Controller
          control={form.control}
          name="plan_id"
          render={({ field }) => (
            <Field label="Plan" error={errors.plan_id?.message}>
              {(props) => (
                <PlanPicker
                  {...props}
                  plans={plans}
                  value={field.value}
                  onChange={field.onChange}
                  onBlur={field.onBlur}
                />
              )}
            </Field>
          )}
        />
      )}
      <Controller
        control={form.control}
        name="capture_method"
        render={({ field }) => (
          <RadioCards
            legend="When the money is taken"
            columns={2}
            value={field.value}
            onChange={field.onChange}
            options={[
              {
                value: "automatic",
                label: "At once",
                description: "The payment is captured when the card is approved.",
              },
              {
                value: "manual",
                label: "When you capture it",
                description: "Reserved now, taken when you capture it within 7 days.",
              },
            ]}
          />
        )}
      />
    </>
  );
}

/** Who pays; what is given here is shown with the payment, and the name stands on the form. */
export function CustomerFields({ form }: { form: SessionForm }) {
  const { errors } = form.formState;
  return (
    <Section title="Customer" hint="Optional. Shown with the payment, which you then find by it.">
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Name" optional error={errors.customer_name?.message}>
          {(props) => <Input {...props} {...form.register("customer_name")} autoComplete="off" />}
        </Field>
        <Field label="E-mail" optional error={errors.customer_email?.message}>
          {(props) => <Input {...props} {...form.register("customer_email")} type="email" autoComplete="off" />}
        </Field>
        <Field label="Your customer id" optional error={errors.customer_id?.message}>
          {(props) => (
            <Input
              {...props}
              {...form.register("customer_id")}
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
          )}
        </Field>
      </div>
    </Section>
  );
}

/** Where the shopper goes afterwards, and where the form may stand. */
export function PlaceFields({ form }: { form: SessionForm }) {
  const { errors } = form.formState;
  return (
    <Section title="Your site" hint="Optional for a payment link; an embedded form needs the origin of its page.">
      <Field
        label="Return address"
        optional
        error={errors.return_url?.message}
        hint="Where a shopper who has paid goes on to. Without it they stay on the confirmation."
      >
        {(props) => (
          <Input
            {...props}
            {...form.register("return_url")}
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder="https://shop.example/thank-you"
          />
        )}
      </Field>
      <OriginList form={form} />
    </Section>
  );
}

function Section({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-4 border-t pt-5">
      <div>
        <h2 id={id} className="font-semibold text-sm leading-6">
          {title}
        </h2>
        <p className="text-[13px] text-soft">{hint}</p>
      </div>
      {children}
    </section>
  );
}
