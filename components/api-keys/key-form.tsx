"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { RequestApproval, useApprovalNeed } from "@/components/approvals/request-approval";
import { RequestedKeyChanges } from "@/components/approvals/settings-changes";
import { CurrencyOptions } from "@/components/plans/plan-fields";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { RadioCards } from "@/components/ui/choices";
import { Form, PriceField, SelectField, TextareaField, TextField } from "@/components/ui/form";
import { buttonStyles } from "@/components/ui/styles";
import { toast } from "@/components/ui/toast";
import { ApiError, callApi } from "@/lib/client/api";
import {
  expiryOf,
  hasLimits,
  type KeyFormValues,
  keyBody,
  keyFormOf,
  limitProblems,
  placeKeyRefusal,
} from "@/lib/client/api-keys/key-form";
import { PERMISSION_GROUPS, PERMISSION_PRESETS, presetOf } from "@/lib/client/api-keys/permission-words";
import { newIdempotencyKey } from "@/lib/client/payments/money-ports";
import { useNow } from "@/lib/client/time-display";
import { FormRefusal, type FormState, useForm } from "@/lib/client/use-form";
import type { ApiKey, IssuedApiKey } from "@/lib/contract/api-keys/api-keys";
import { type CurrencyOption, fullTimeText } from "@/lib/contract/format";
import type { Permission } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import { SecretDialog } from "./secret-dialog";

type KeyFormProps = {
  /** The key being edited; null creates one. */
  apiKey: ApiKey | null;
  mode: Mode;
  timeZone: string;
  /** Calendar date. */
  tomorrow: string;
  currencies: readonly CurrencyOption[];
};

/** Form for a new or an existing key. */
export function KeyForm({ apiKey, mode, timeZone, tomorrow, currencies }: KeyFormProps) {
  const router = useRouter();
  const [issued, setIssued] = useState<IssuedApiKey | null>(null);
  const [finished, setFinished] = useState(false);
  const [attempt, setAttempt] = useState(newAttempt);
  const form = useForm<KeyFormValues>(keyFormOf(apiKey, PERMISSION_PRESETS[0]?.permissions ?? []), {
    check: (values) => ({
      expiryDate: hasNoDate(values, timeZone) ? "Choose a date." : undefined,
      ...limitProblems(values),
    }),
    place: placeKeyRefusal,
  });
  const { need, orRequest, forget } = useApprovalNeed();
  const { values, field } = form;
  const isOver = issued !== null || finished;
  const list = `/${mode}/developers/api-keys`;
  const leave = () => {
    setFinished(true);
    router.push(list);
    router.refresh();
  };

  async function create() {
    if (isOver) return;
    // A retry must be the same request, so "in 30 days" counts from the first attempt.
    const { id, expiresAt } = attempt;
    const choice = `${values.expiry} ${values.expiryDate}`;
    if (!expiresAt.has(choice)) expiresAt.set(choice, expiryOf(values, new Date(), timeZone));
    const settings = keyBody(values, expiresAt.get(choice) ?? null);
    try {
      await orRequest({ action: "LIVE_KEY", parameters: { act: "CREATE", ...settings } }, async () => {
        const body = { attempt: id, ...settings };
        setIssued((await callApi("POST /api/dashboard/{mode}/api-keys", { params: { mode }, body })).data);
        form.keep();
      });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "idempotency_key_reused")) throw error;
      setAttempt(newAttempt());
      throw new FormRefusal(
        "An earlier attempt already created a key with other settings. Check the list of keys before you try again.",
      );
    }
  }

  async function change({ id, updated_at }: ApiKey) {
    if (isOver) return;
    const settings = keyBody(values, expiryOf(values, new Date(), timeZone));
    await orRequest({ action: "LIVE_KEY", parameters: { act: "CHANGE", subject: id, ...settings } }, async () => {
      const body = { ...settings, updated_at };
      await callApi("PATCH /api/dashboard/{mode}/api-keys/{id}", { params: { mode, id }, body });
      form.keep();
      toast.success("Key changed");
      leave();
    });
  }

  return (
    <>
      <Form
        form={form}
        onSubmit={() => (apiKey === null ? create() : change(apiKey))}
        live
        guarded
        aria-label={apiKey === null ? "New API key" : "API key"}
        className="flex max-w-3xl flex-col gap-6"
      >
        {mode === "live" && (
          <Banner tone="amber" title="This key works with real money">
            Grant only the permissions it needs, keep it on your servers, and never put it in a web page or app.
          </Banner>
        )}
        <TextField
          label="Name"
          hint="Where it is used, such as “Shop server”."
          {...field("name")}
          autoComplete="off"
          className="max-w-md"
        />
        <PermissionFields {...form.choice("permissions")} />
        {hasLimits(values) && <LimitFields form={form} currencies={currencies} />}
        <ExpiryFields form={form} timeZone={timeZone} tomorrow={tomorrow} />
        <TextareaField
          label="Addresses"
          optional
          hint="IP addresses or CIDR blocks that may use the key, one per line. Leave empty to allow any."
          {...field("addresses")}
          rows={3}
          spellCheck={false}
          placeholder={"203.0.113.7\n198.51.100.0/24"}
          className="max-w-md font-mono"
        />
        <div className="flex flex-wrap gap-2 border-t pt-4">
          <Button type="submit" variant="primary" pending={form.pending} disabled={isOver}>
            {apiKey !== null ? "Save changes" : mode === "live" ? "Create live key" : "Create key"}
          </Button>
          <Link href={list} className={buttonStyles()}>
            Cancel
          </Link>
        </div>
      </Form>
      {need && (
        <RequestApproval
          {...need}
          shown={<RequestedKeyChanges act={need.act} now={apiKey} />}
          onClose={forget}
          onRequested={() => {
            form.keep();
            leave();
          }}
        />
      )}
      {issued && (
        <SecretDialog
          issued={issued}
          onDone={() => {
            // Forget the secret here instead of relying on the navigation.
            setIssued(null);
            leave();
          }}
        />
      )}
    </>
  );
}

const newAttempt = () => ({ id: newIdempotencyKey(), expiresAt: new Map<string, Date | null>() });

const hasNoDate = (values: KeyFormValues, timeZone: string) =>
  values.expiry === "date" && expiryOf(values, new Date(), timeZone) === null;

type LimitFieldsProps = { form: FormState<KeyFormValues>; currencies: readonly CurrencyOption[] };

/** Limits of the key's refunds. */
function LimitFields({ form: { values, field }, currencies }: LimitFieldsProps) {
  return (
    <fieldset className="flex min-w-0 max-w-xl flex-col gap-3">
      <legend className="mb-1 font-medium text-[13px]">Refund limits</legend>
      <p className="text-[13px] text-soft">
        Leave a field empty for no limit. With an amount, the key refunds only payments in that currency. Days are UTC,
        and every refund the key begins counts, even one that fails later.
      </p>
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
        <PriceField label="Most per refund" optional {...field("refundMax")} currency={values.currency} />
        <PriceField label="Most per day" optional {...field("refundAmountPerDay")} currency={values.currency} />
        <TextField
          label="Refunds per day"
          optional
          {...field("refundsPerDay")}
          inputMode="numeric"
          autoComplete="off"
          maxLength={6}
        />
        <SelectField label="Currency" {...field("currency")}>
          <CurrencyOptions currencies={currencies} />
        </SelectField>
      </div>
    </fieldset>
  );
}

type ExpiryFieldsProps = { form: FormState<KeyFormValues>; timeZone: string; tomorrow: string };

function ExpiryFields({ form: { values, field }, timeZone, tomorrow }: ExpiryFieldsProps) {
  const end = expiryOf(values, new Date(useNow()), timeZone);
  const hint = end
    ? `It stops working on ${fullTimeText(end, timeZone)}.`
    : values.expiry === "never"
      ? undefined
      : "The key stops working at the end of that day.";
  return (
    <div className="flex max-w-md flex-wrap items-start gap-2">
      <SelectField label="Expires" hint={hint} {...field("expiry")} fieldClassName="min-w-40 flex-1">
        {values.kept !== null && <option value="kept">Keep the current expiry</option>}
        <option value="never">Never</option>
        <option value="30d">In 30 days</option>
        <option value="90d">In 90 days</option>
        <option value="1y">In a year</option>
        <option value="date">On a date …</option>
      </SelectField>
      {values.expiry === "date" && <TextField label="Last day" {...field("expiryDate")} type="date" min={tomorrow} />}
    </div>
  );
}

const CUSTOM = { value: "custom", label: "Custom", description: "Only the permissions you choose below." };

type PermissionFieldsProps = {
  name: string;
  value: readonly Permission[];
  onChange: (permissions: Permission[]) => void;
  error?: string | undefined;
};

/** A preset or any selection; changing single permissions makes it custom. */
function PermissionFields({ name, value, onChange, error }: PermissionFieldsProps) {
  const preset = presetOf(value);
  const options = PERMISSION_PRESETS.map(({ id, label, sentence }) => ({ value: id, label, description: sentence }));

  function choose(id: string) {
    const chosen = PERMISSION_PRESETS.find((candidate) => candidate.id === id);
    onChange(chosen ? [...chosen.permissions] : []);
  }

  return (
    <>
      <RadioCards
        legend="What can it do?"
        name={name}
        options={[...options, CUSTOM]}
        value={preset?.id ?? "custom"}
        onChange={choose}
        columns={3}
        error={error}
      />
      <div className="overflow-hidden rounded-lg border">
        {PERMISSION_GROUPS.map((group) => (
          <PermissionGroup key={group.name} group={group} value={value} onChange={onChange} />
        ))}
      </div>
    </>
  );
}

type PermissionGroupProps = Omit<PermissionFieldsProps, "name" | "error"> & {
  group: (typeof PERMISSION_GROUPS)[number];
};

function PermissionGroup({ group, value, onChange }: PermissionGroupProps) {
  const id = useId();
  const own = group.permissions.map(({ permission }) => permission);
  const chosen = own.filter((permission) => value.includes(permission));
  const set = (permissions: readonly Permission[], on: boolean) =>
    onChange(on ? [...new Set([...value, ...permissions])] : value.filter((given) => !permissions.includes(given)));

  return (
    <fieldset aria-labelledby={id} className="min-w-0 border-b last:border-0">
      <div className="flex items-center justify-between gap-4 bg-raised px-3 py-1.5">
        <span id={id} className="font-medium text-[13px]">
          {group.name}
        </span>
        <Checkbox
          label={<span className="text-soft">All</span>}
          aria-label={`All of ${group.name}`}
          checked={chosen.length === own.length}
          indeterminate={chosen.length > 0 && chosen.length < own.length}
          onChange={(event) => set(own, event.target.checked)}
        />
      </div>
      <div className="grid gap-x-6 gap-y-2.5 px-3 py-2.5 sm:grid-cols-2">
        {group.permissions.map(({ permission, label, sentence }) => (
          <Checkbox
            key={permission}
            label={label}
            description={sentence}
            checked={value.includes(permission)}
            onChange={(event) => set([permission], event.target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
