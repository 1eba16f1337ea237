"use client";

import { Plus, X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Controller, type UseFormReturn, useFieldArray, useWatch } from "react-hook-form";
import { Button } from "@/components/ui/button";
import { Field, Input, Select } from "@/components/ui/field";
import { PriceInput } from "@/components/ui/form";
import { RadioCards } from "@/components/ui/radio-cards";
import { IconButton } from "@/components/ui/tooltip";
import { originTyped, type SessionFormValues } from "@/lib/client/checkout/session-form";
import type { CreateClientSessionBody } from "@/lib/contract/checkout/client-session";
import type { CurrencyOption } from "@/lib/contract/format";
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

/** As many as a session takes. */
const MAX_ORIGINS = 20;

/** The pages that may show the form, a line each. */
function OriginList({ form }: { form: SessionForm }) {
  const id = useId();
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "allowed_origins" });
  const errors = form.formState.errors.allowed_origins;
  return (
    <fieldset className="min-w-0" aria-describedby={`${id}-hint`}>
      <legend className="font-medium text-[13px] leading-5">
        Allowed origins<span className="font-normal text-soft"> (optional)</span>
      </legend>
      <p id={`${id}-hint`} className="mb-1.5 text-soft text-xs leading-5">
        Sites that may embed the form, such as https://shop.example. The payment link works without any.
      </p>
      <ul className="flex flex-col gap-2">
        {fields.map((field, index) => {
          const message = errors?.[index]?.origin?.message;
          const errorId = `${id}-${index}-error`;
          return (
            <li key={field.id}>
              <div className="flex gap-2">
                <Input
                  {...form.register(`allowed_origins.${index}.origin`, {
                    onBlur: (event: { target: { value: string } }) =>
                      form.setValue(`allowed_origins.${index}.origin`, originTyped(event.target.value)),
                  })}
                  aria-label={`Origin ${index + 1}`}
                  aria-describedby={message ? errorId : undefined}
                  aria-invalid={message ? true : undefined}
                  placeholder="https://shop.example"
                  inputMode="url"
                  autoComplete="off"
                  spellCheck={false}
                />
                {fields.length > 1 && (
                  <IconButton label={`Remove origin ${index + 1}`} onClick={() => remove(index)}>
                    <X aria-hidden="true" />
                  </IconButton>
                )}
              </div>
              {message && (
                <p id={errorId} className="mt-1.5 text-red text-xs leading-5">
                  {message}
                </p>
              )}
            </li>
          );
        })}
      </ul>
      {fields.length < MAX_ORIGINS && (
        <Button
          size="sm"
          variant="ghost"
          className="mt-1.5 -ml-2"
          icon={<Plus aria-hidden="true" />}
          onClick={() => append({ origin: "" })}
        >
          Add another
        </Button>
      )}
    </fieldset>
  );
}
