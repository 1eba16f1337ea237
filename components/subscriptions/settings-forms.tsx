"use client";

import { Plus, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { SaveButton } from "@/components/accounts/account-form";
import { TEST_MAIL } from "@/components/accounts/business-form";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { RadioCards } from "@/components/ui/choices";
import { Input } from "@/components/ui/field";
import { Form } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { type FormState, useForm } from "@/lib/client/use-form";
import type { MailRoute } from "@/lib/contract/accounts/fields";
import {
  MAX_DUNNING_DAYS,
  MAX_DUNNING_STEPS,
  type MailSwitch,
  type PortalSwitch,
  type SubscriptionSettings,
} from "@/lib/contract/subscriptions/settings";
import type { Mode } from "@/lib/contract/transactions/words";

type SettingsFormProps = { mode: Mode; settings: SubscriptionSettings; canEdit: boolean };

/** Saves a part of the settings, and shows the page with them. */
function useSave(mode: Mode) {
  const router = useRouter();
  return async (form: Pick<FormState<object>, "keep">, body: Partial<SubscriptionSettings>) => {
    const dunning_steps = body.dunning_steps && [...body.dunning_steps];
    await callApi("PATCH /api/dashboard/{mode}/subscription-settings", {
      params: { mode },
      body: { ...body, dunning_steps },
    });
    form.keep();
    toast.success("Saved");
    router.refresh();
  };
}

/** Whole days within the limits, or null. */
function readDays(text: string): number | null {
  const days = /^\s*\d{1,3}\s*$/.test(text) ? Number(text) : 0;
  return days >= 1 && days <= MAX_DUNNING_DAYS ? days : null;
}

const AND = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** "Tried again 3, 8 and 15 days after the first attempt." `steps`: days from each attempt to the next. */
export function dunningText(steps: readonly number[]): string {
  const days = steps.map((_, at) => steps.slice(0, at + 1).reduce((sum, step) => sum + step, 0));
  const unit = days.length === 1 && days[0] === 1 ? "day" : "days";
  return `Tried again ${AND.format(days.map(String))} ${unit} after the first attempt.`;
}

type Step = { key: number; days: string };

const checkSteps = ({ steps }: { steps: readonly Step[] }) =>
  Object.fromEntries(
    steps.map(({ days }, at) => [
      `steps.${at}`,
      readDays(days) === null ? `Enter 1 to ${MAX_DUNNING_DAYS} days.` : undefined,
    ]),
  );

/** When a declined invoice is tried again, and what follows its last attempt. */
export function DunningForm({ mode, settings, canEdit }: SettingsFormProps) {
  const save = useSave(mode);
  const { dunning_steps, after_last_attempt } = settings;
  // Rows need a stable key, because any can be removed.
  const [nextKey, setNextKey] = useState(dunning_steps.length);
  const form = useForm(
    { steps: dunning_steps.map((days, key): Step => ({ key, days: String(days) })), after_last_attempt },
    { check: checkSteps },
  );
  const { steps } = form.values;
  const days = steps.map((step) => readDays(step.days)).filter((each) => each !== null);
  const add = () => {
    form.set({ steps: [...steps, { key: nextKey, days: steps.at(-1)?.days ?? "3" }] });
    setNextKey(nextKey + 1);
  };

  return (
    <Form
      form={form}
      onSubmit={() => save(form, { dunning_steps: days, after_last_attempt: form.values.after_last_attempt })}
      guarded
    >
      <fieldset className="flex min-w-0 flex-col gap-2" disabled={!canEdit}>
        <legend className="mb-2 font-medium text-[13px]">Retries</legend>
        <ol className="flex flex-col gap-2">
          {steps.map((step, at) => (
            <DunningStep
              key={step.key}
              at={at}
              days={step.days}
              error={form.errorOf(`steps.${at}`)}
              onChange={(value) =>
                form.set({ steps: steps.map((one) => (one.key === step.key ? { ...one, days: value } : one)) })
              }
              onBlur={form.field("steps").onBlur}
              onRemove={
                canEdit && steps.length > 1
                  ? () => form.set({ steps: steps.filter((one) => one.key !== step.key) })
                  : undefined
              }
            />
          ))}
        </ol>
        {canEdit && steps.length < MAX_DUNNING_STEPS && (
          <span>
            <Button icon={<Plus aria-hidden="true" />} onClick={add}>
              Add a retry
            </Button>
          </span>
        )}
        <p className="mt-1 text-[13px]" aria-live="polite">
          {days.length === steps.length && dunningText(days)}
        </p>
        <p className="text-soft text-xs leading-5">
          A lost, stolen or expired card isn’t tried again: the invoice waits for another card, which is charged right
          away.
        </p>
      </fieldset>
      <fieldset className="min-w-0" disabled={!canEdit}>
        <RadioCards
          legend="If the last retry fails"
          options={[
            {
              value: "CANCEL",
              label: "Cancel the subscription",
              description: "The invoice becomes uncollectible, and the customer is not charged again.",
            },
            {
              value: "KEEP",
              label: "Leave it past due",
              description: "The invoice stays open. Nothing more is tried until the customer has another card.",
            },
          ]}
          {...form.choice("after_last_attempt")}
        />
      </fieldset>
      {canEdit && <SaveButton pending={form.pending} disabled={!form.dirty} />}
    </Form>
  );
}

type DunningStepProps = {
  at: number;
  days: string;
  error: string | undefined;
  onChange: (days: string) => void;
  onBlur: () => void;
  onRemove: (() => void) | undefined;
};

function DunningStep({ at, days, error, onChange, onBlur, onRemove }: DunningStepProps) {
  const errorId = `dunning-step-${at}-error`;
  return (
    <li>
      <span className="flex items-center gap-2 text-[13px]">
        <Input
          name={`steps.${at}`}
          aria-label={`Days before retry ${at + 1}`}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? errorId : undefined}
          inputMode="numeric"
          autoComplete="off"
          maxLength={3}
          value={days}
          onChange={({ target }) => onChange(target.value)}
          onBlur={onBlur}
          className="w-16 text-right tabular-nums"
        />
        <span className="flex-1">
          {days.trim() === "1" ? "day" : "days"} after {at === 0 ? "the first attempt" : `retry ${at}`}
        </span>
        {onRemove && (
          <button type="button" className="button button-icon" aria-label={`Remove retry ${at + 1}`} onClick={onRemove}>
            <Trash2 aria-hidden="true" />
          </button>
        )}
      </span>
      {error && (
        <p id={errorId} className="mt-1 text-red text-xs leading-5">
          {error}
        </p>
      )}
    </li>
  );
}

type Choice<Name extends string> = { name: Name; label: string; description: string };

const MAILS: readonly Choice<MailSwitch>[] = [
  {
    name: "mail_trial_ending",
    label: "A trial ends in three days",
    description: "What is charged then, and when. A shorter trial is announced when it begins.",
  },
  { name: "mail_receipt", label: "A payment succeeds", description: "A receipt, with a link to print it." },
  {
    name: "mail_payment_failed",
    label: "A payment fails",
    description: "When it is tried again, and a link to pay now or to confirm the payment with their bank.",
  },
  {
    name: "mail_card_expiring",
    label: "Their card expires this month",
    description: "On the first of the month, once for each card.",
  },
  { name: "mail_cancelled", label: "A subscription is cancelled", description: "That it ended, and why." },
];

const PORTAL: readonly Choice<PortalSwitch>[] = [
  { name: "portal_change_card", label: "Change the card", description: "An open invoice is charged to it right away." },
  {
    name: "portal_cancel",
    label: "Cancel",
    description: "At the end of the period. Until then, they can undo it.",
  },
  { name: "portal_invoices", label: "See and print invoices", description: "Drafts are not shown." },
];

/** The mails that customers receive. */
export function SubscriptionMailsForm({ mail, ...props }: SettingsFormProps & { mail: MailRoute }) {
  const note = props.mode === "test" || mail !== "sent" ? ` ${TEST_MAIL[mail]}` : "";
  return (
    <SwitchesForm {...props} choices={MAILS} legend="E-mail customers when:">
      <p className="text-soft text-xs leading-5">
        Sent in your business’s name to the subscription’s e-mail address, if it has one. Replies go to your support
        e-mail.{note}
      </p>
    </SwitchesForm>
  );
}

/** Switches for customers' actions in the portal. */
export function PortalForm(props: SettingsFormProps) {
  return <SwitchesForm {...props} choices={PORTAL} legend="In the customer portal, customers can:" />;
}

type SwitchesFormProps<Name extends MailSwitch | PortalSwitch> = SettingsFormProps & {
  choices: readonly Choice<Name>[];
  legend: string;
  children?: ReactNode;
};

function SwitchesForm<Name extends MailSwitch | PortalSwitch>(props: SwitchesFormProps<Name>) {
  const { settings, canEdit, choices, legend, children } = props;
  const save = useSave(props.mode);
  const form = useForm<Record<string, boolean>>(Object.fromEntries(choices.map(({ name }) => [name, settings[name]])));
  return (
    <Form form={form} onSubmit={() => save(form, form.values)} guarded>
      <fieldset className="flex flex-col gap-3" disabled={!canEdit}>
        <legend className="mb-2 text-[13px] text-soft">{legend}</legend>
        {choices.map(({ name, label, description }) => (
          <Checkbox
            key={name}
            name={name}
            checked={form.values[name] ?? false}
            onChange={({ target }) => form.set({ [name]: target.checked })}
            label={label}
            description={description}
          />
        ))}
      </fieldset>
      {children}
      {canEdit && <SaveButton pending={form.pending} disabled={!form.dirty} />}
    </Form>
  );
}
