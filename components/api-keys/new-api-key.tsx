"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { Controller, useForm } from "react-hook-form";
import { LiveFieldset } from "@/components/forms/live-fieldset";
import { UnsavedGuard } from "@/components/forms/unsaved-guard";
import { Banner } from "@/components/ui/banner";
import { Button, buttonStyles } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { FormFailure } from "@/components/ui/form-failure";
import { Input } from "@/components/ui/input";
import { Textarea } from "@/components/ui/textarea";
import { ApiError, callApi } from "@/lib/client/api";
import { failureText } from "@/lib/client/failure-text";
import { expiryOf, type KeyFormValues, keyBody, keyFormErrors } from "@/lib/client/key-form";
import { newIdempotencyKey } from "@/lib/client/money-ports";
import type { IssuedApiKey } from "@/lib/contract/dashboard/api-keys";
import { PERMISSION_PRESETS } from "@/lib/contract/permission-words";
import type { Mode } from "@/lib/contract/transaction-words";
import { ExpiryFields } from "./expiry-fields";
import { PermissionFields } from "./permission-fields";
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
