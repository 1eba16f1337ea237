"use client";

import { Plus, X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { CurrencyOptions } from "@/components/plans/plan-fields";
import { Button } from "@/components/ui/button";
import { RadioCards } from "@/components/ui/choices";
import { Field, Input } from "@/components/ui/field";
import { IconButton } from "@/components/ui/floating";
import { PriceField, SelectField, TextField } from "@/components/ui/form";
import { originTyped, type SessionFormValues } from "@/lib/client/checkout/session-form";
import type { FormState } from "@/lib/client/use-form";
import { isMailable } from "@/lib/contract/emails";
import type { CurrencyOption } from "@/lib/contract/format";
import type { PlanOption } from "@/lib/contract/plans/schedule";
import { PlanPicker } from "./plan-picker";

type SessionFieldsProps = { form: FormState<SessionFormValues> };

type SessionPriceProps = SessionFieldsProps & {
  plans: readonly PlanOption[];
  currencies: readonly CurrencyOption[];
};

const CAPTURES = [
  { value: "automatic", label: "Immediately", description: "Captured as soon as the card is approved." },
  {
    value: "manual",
    label: "When you capture it",
    description: "Held on the card now; you capture it within 7 days.",
  },
] as const;

type SaleValues = { sell: "amount" | "plan"; amount: string; currency: string; plan_id: string };

type SoldFieldProps = Omit<SessionPriceProps, "form"> & {
  form: Pick<FormState<SaleValues>, "values" | "field" | "choice" | "errorOf">;
  planHint?: string | undefined;
};

/** The typed amount, or the chosen plan. */
export function SoldField({ form, plans, currencies, planHint }: SoldFieldProps) {
  const { sell, currency, plan_id } = form.values;
  if (sell === "amount") {
    return (
      <div className="grid gap-5 sm:grid-cols-2">
        <PriceField label="Amount" {...form.field("amount")} currency={currency} />
        <SelectField label="Currency" {...form.field("currency")}>
          <CurrencyOptions currencies={currencies} />
        </SelectField>
      </div>
    );
  }
  return (
    <Field label="Plan" error={form.errorOf("plan_id")} hint={planHint}>
      {(props) => (
        <PlanPicker
          {...props}
          plans={plans}
          value={plan_id}
          onChange={form.choice("plan_id").onChange}
          onBlur={form.field("plan_id").onBlur}
        />
      )}
    </Field>
  );
}

/** A custom amount, or the price of a plan. */
export function SessionPrice({ form, plans, currencies }: SessionPriceProps) {
  return (
    <>
      <RadioCards
        legend="What does the customer pay?"
        columns={2}
        {...form.choice("sell")}
        options={[
          { value: "amount", label: "An amount", description: "Set here, for this payment only." },
          {
            value: "plan",
            label: "A plan",
            description:
              plans.length > 0 ? "The price of one of your one-time plans." : "You have no active one-time plans yet.",
            disabled: plans.length === 0,
          },
        ]}
      />
      <SoldField form={form} plans={plans} currencies={currencies} />
      <RadioCards
        legend="When is the payment captured?"
        columns={2}
        {...form.choice("capture_method")}
        options={CAPTURES}
      />
    </>
  );
}

/** Customer details, shown with the payment; the name is also prefilled in the form. */
export function CustomerFields({ form: { field, values } }: SessionFieldsProps) {
  const email = values.customer_email;
  return (
    <Section title="Customer" hint="Optional. Shown with the payment; you can search by it.">
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField label="Name" optional {...field("customer_name")} autoComplete="off" />
        <TextField
          label="E-mail"
          optional
          {...field("customer_email")}
          type="email"
          autoComplete="off"
          hint={email.trim() && !isMailable(email.trim()) ? "Receipts can’t be mailed to this address." : undefined}
        />
        <TextField
          label="Your customer id"
          optional
          {...field("customer_id")}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
      </div>
    </Section>
  );
}

/** Return URL, and the origins that may embed the form. */
export function PlaceFields({ form }: SessionFieldsProps) {
  return (
    <Section title="Your site" hint="Optional for a link. An embedded form needs the origin of its page.">
      <TextField
        label="Return URL"
        optional
        hint="Where shoppers go after paying. If empty, they stay on the confirmation page."
        {...form.field("return_url")}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://shop.example/thank-you"
      />
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

/** The API's limit per session. */
const MAX_ORIGINS = 20;

/** Origins that may embed the form, one per line. */
function OriginList({ form }: SessionFieldsProps) {
  const id = useId();
  const origins = form.values.allowed_origins;
  const { onBlur } = form.field("allowed_origins");
  const set = (next: string[]) => form.set({ allowed_origins: next });
  return (
    <fieldset className="min-w-0" aria-describedby={`${id}-hint`}>
      <legend className="font-medium text-[13px] leading-5">
        Allowed origins<span className="font-normal text-soft"> (optional)</span>
      </legend>
      <p id={`${id}-hint`} className="mb-1.5 text-soft text-xs leading-5">
        Sites that may embed the form, such as https://shop.example. Not needed for links.
      </p>
      <ul className="flex flex-col gap-2">
        {origins.map((origin, index) => {
          const message = form.errorOf(`allowed_origins.${index}`);
          const errorId = `${id}-${index}-error`;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its index
            <li key={index}>
              <div className="flex gap-2">
                <Input
                  name={`allowed_origins.${index}`}
                  value={origin}
                  onChange={(event) => set(origins.with(index, event.target.value))}
                  onBlur={() => {
                    onBlur();
                    set(origins.with(index, originTyped(origin)));
                  }}
                  aria-label={`Origin ${index + 1}`}
                  aria-describedby={message ? errorId : undefined}
                  aria-invalid={message ? true : undefined}
                  placeholder="https://shop.example"
                  inputMode="url"
                  autoComplete="off"
                  spellCheck={false}
                />
                {origins.length > 1 && (
                  <IconButton label={`Remove origin ${index + 1}`} onClick={() => set(origins.toSpliced(index, 1))}>
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
      {origins.length < MAX_ORIGINS && (
        <Button
          size="sm"
          variant="ghost"
          className="mt-1.5 -ml-2"
          icon={<Plus aria-hidden="true" />}
          onClick={() => set([...origins, ""])}
        >
          Add another
        </Button>
      )}
    </fieldset>
  );
}
