"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useId, useRef, useState } from "react";
import { Controller, type UseFormReturn, useForm, useWatch } from "react-hook-form";
import { Banner, FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Field, Input, Select, Textarea } from "@/components/ui/field";
import { LiveFieldset, UnsavedGuard } from "@/components/ui/form";
import { RadioCards } from "@/components/ui/radio-cards";
import { buttonStyles } from "@/components/ui/styles";
import { ApiError, callApi, failureText } from "@/lib/client/api";
import { expiryOf, type KeyFormValues, keyBody, keyFormErrors } from "@/lib/client/api-keys/key-form";
import { PERMISSION_GROUPS, PERMISSION_PRESETS, presetOf } from "@/lib/client/api-keys/permission-words";
import { newIdempotencyKey } from "@/lib/client/payments/money-ports";
import { useNow } from "@/lib/client/time-display";
import type { IssuedApiKey } from "@/lib/contract/api-keys/api-keys";
import { fullTimeText } from "@/lib/contract/format";
import type { Permission } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import { SecretDialog } from "./secret-dialog";

type NewApiKeyProps = { mode: Mode; timeZone: string /** Calendar date. */; tomorrow: string };

export function NewApiKey({ mode, timeZone, tomorrow }: NewApiKeyProps) {
  const router = useRouter();
  const [issued, setIssued] = useState<IssuedApiKey | null>(null);
  const [finished, setFinished] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const attempt = useRef<{ id: string; expiresAt: Map<string, Date | null> }>(null);
  attempt.current ??= newAttempt();
  const form = useForm<KeyFormValues>({
    defaultValues: {
      name: "",
      permissions: [...(PERMISSION_PRESETS[0]?.permissions ?? [])],
      expiry: "never",
      expiryDate: "",
      addresses: "",
    },
  });
  const { errors, isDirty, isSubmitting } = form.formState;

  async function create(values: KeyFormValues) {
    if (issued !== null || finished || attempt.current === null) return;
    setFailure(null);
    // A retry must be the same request: "in 30 days" is counted from the first try.
    const { id, expiresAt } = attempt.current;
    const choice = `${values.expiry} ${values.expiryDate}`;
    if (!expiresAt.has(choice)) expiresAt.set(choice, expiryFromNow(values, timeZone));
    if (values.expiry === "date" && expiresAt.get(choice) === null) {
      return form.setError("expiryDate", { message: "Choose a date." }, { shouldFocus: true });
    }
    try {
      const body = keyBody(values, id, expiresAt.get(choice) ?? null);
      const path = `/api/dashboard/${mode}/api-keys`;
      setIssued((await callApi<IssuedApiKey>({ method: "POST", path, body })).data);
    } catch (error) {
      refused(error, values);
    }
  }

  function refused(error: unknown, values: KeyFormValues) {
    if (error instanceof ApiError && error.code === "idempotency_key_reused") {
      attempt.current = newAttempt();
      setFailure(
        "An earlier attempt did arrive and made a key with other settings. See the list of keys before you try again.",
      );
      return;
    }
    const { fields, others } = keyFormErrors(error instanceof ApiError ? error.errors : [], values);
    const named = Object.entries(fields) as [keyof KeyFormValues, string[]][];
    for (const [index, [field, messages]] of named.entries()) {
      form.setError(field, { type: "server", message: messages.join(" ") }, { shouldFocus: index === 0 });
    }
    if (named.length === 0 || others.length > 0) setFailure(failureText(error));
  }

  return (
    <>
      <form onSubmit={(event) => form.handleSubmit(create)(event)} noValidate aria-label="New API key">
        <LiveFieldset className="flex max-w-3xl flex-col gap-6">
          {mode === "live" && (
            <Banner tone="amber" title="This key works with real money">
              Give it only what its use needs, keep it on your servers, and never put it into a web page or an app.
            </Banner>
          )}
          <FormFailure failure={{ text: failure }} />
          <Field label="Name" error={errors.name?.message} hint="Where it is used, such as “Shop server”.">
            {(props) => <Input {...props} {...form.register("name")} autoComplete="off" className="max-w-md" />}
          </Field>
          <Controller
            control={form.control}
            name="permissions"
            render={({ field }) => (
              <PermissionFields value={field.value} onChange={field.onChange} error={errors.permissions?.message} />
            )}
          />
          <ExpiryFields form={form} timeZone={timeZone} tomorrow={tomorrow} />
          <Field
            label="Addresses"
            optional
            error={errors.addresses?.message}
            hint="IP addresses or CIDR blocks it may be used from, one per line. Empty: from anywhere."
          >
            {(props) => (
              <Textarea
                {...props}
                {...form.register("addresses")}
                rows={3}
                spellCheck={false}
                placeholder={"203.0.113.7\n198.51.100.0/24"}
                className="max-w-md font-mono"
              />
            )}
          </Field>
          <div className="flex flex-wrap gap-2 border-t pt-4">
            <Button type="submit" variant="primary" pending={isSubmitting} disabled={issued !== null || finished}>
              {mode === "live" ? "Create live key" : "Create key"}
            </Button>
            <Link href={`/${mode}/developers/api-keys`} className={buttonStyles()}>
              Cancel
            </Link>
          </div>
        </LiveFieldset>
      </form>
      {issued && (
        <SecretDialog
          issued={issued}
          onDone={() => {
            // The secret is forgotten here, not when the page happens to go.
            setIssued(null);
            setFinished(true);
            router.push(`/${mode}/developers/api-keys`);
            router.refresh();
          }}
        />
      )}
      <UnsavedGuard dirty={isDirty && issued === null && !finished} />
    </>
  );
}

const expiryFromNow = (values: KeyFormValues, timeZone: string) => expiryOf(values, new Date(), timeZone);
const newAttempt = () => ({ id: newIdempotencyKey(), expiresAt: new Map<string, Date | null>() });

type ExpiryFieldsProps = { form: UseFormReturn<KeyFormValues>; timeZone: string; tomorrow: string };

function ExpiryFields({ form, timeZone, tomorrow }: ExpiryFieldsProps) {
  const [expiry, expiryDate] = useWatch({ control: form.control, name: ["expiry", "expiryDate"] });
  const now = useNow();
  const { errors } = form.formState;
  const end = expiryOf({ expiry, expiryDate }, new Date(now), timeZone);
  const hint = end
    ? `It stops working on ${fullTimeText(end, timeZone)}.`
    : expiry === "never"
      ? "It works until somebody stops it."
      : "It stops working at the end of that day.";
  return (
    <div className="flex max-w-md flex-wrap items-start gap-2">
      <Field label="Expires" error={errors.expiry?.message} hint={hint} className="min-w-40 flex-1">
        {(props) => (
          <Select {...props} {...form.register("expiry")}>
            <option value="never">Never</option>
            <option value="30d">In 30 days</option>
            <option value="90d">In 90 days</option>
            <option value="1y">In a year</option>
            <option value="date">At the end of a day …</option>
          </Select>
        )}
      </Field>
      {expiry === "date" && (
        <Field label="Last day" error={errors.expiryDate?.message}>
          {(props) => <Input {...props} {...form.register("expiryDate")} type="date" min={tomorrow} />}
        </Field>
      )}
    </div>
  );
}

const CUSTOM = { value: "custom", label: "Custom", description: "Exactly what you choose below." };

type PermissionFieldsProps = {
  value: readonly Permission[];
  onChange: (permissions: Permission[]) => void;
  error?: string | undefined;
};

/** A preset, or any selection; choosing single ones makes it a custom one. */
function PermissionFields({ value, onChange, error }: PermissionFieldsProps) {
  const preset = presetOf(value);
  const options = PERMISSION_PRESETS.map(({ id, label, sentence }) => ({ value: id, label, description: sentence }));

  function choose(id: string) {
    const chosen = PERMISSION_PRESETS.find((candidate) => candidate.id === id);
    onChange(chosen ? [...chosen.permissions] : []);
  }

  return (
    <>
      <RadioCards
        legend="What may it do?"
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

type PermissionGroupProps = Omit<PermissionFieldsProps, "error"> & { group: (typeof PERMISSION_GROUPS)[number] };

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
