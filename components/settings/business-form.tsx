"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { UnsavedGuard } from "@/components/forms/unsaved-guard";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { FormFailure } from "@/components/ui/form-failure";
import { Input } from "@/components/ui/input";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";
import { TimeZoneSelect } from "./time-zone-select";

const FIELDS = ["name", "website", "support_email", "time_zone"] as const;
type Values = Record<(typeof FIELDS)[number], string>;

export function BusinessForm(loaded: Values) {
  const router = useRouter();
  const [saved, setSaved] = useState(loaded);
  const [values, setValues] = useState(loaded);
  const { pending, failure, run } = useSubmit(FIELDS);
  const changed = FIELDS.filter((name) => values[name] !== saved[name]);
  const bind = (name: keyof Values) => ({
    name,
    value: values[name],
    onChange: (event: { target: { value: string } }) =>
      setValues((before) => ({ ...before, [name]: event.target.value })),
  });

  async function save() {
    const body = Object.fromEntries(changed.map((name) => [name, values[name]]));
    await callApi({ method: "PATCH", path: "/api/dashboard/business", body });
    setSaved(values);
    toast.success("Saved");
    router.refresh();
  }

  return (
    <form method="post" noValidate onSubmit={(event) => run(save, event)} className="flex flex-col gap-4">
      <UnsavedGuard dirty={changed.length > 0 && !pending} />
      <FormFailure failure={failure} />
      <Field label="Business name" error={failure.fields.name}>
        {(props) => <Input {...props} {...bind("name")} autoComplete="organization" maxLength={100} />}
      </Field>
      <Field label="Website" optional error={failure.fields.website}>
        {(props) => <Input {...props} {...bind("website")} type="url" autoComplete="url" placeholder="https://" />}
      </Field>
      <Field label="Support e-mail" optional hint="Where your customers write to." error={failure.fields.support_email}>
        {(props) => <Input {...props} {...bind("support_email")} type="email" autoComplete="email" />}
      </Field>
      <Field
        label="Time zone"
        hint="The days of your figures begin at its midnight. Another one counts all days anew."
        error={failure.fields.time_zone}
      >
        {(props) => <TimeZoneSelect {...props} {...bind("time_zone")} />}
      </Field>
      <Button
        type="submit"
        variant="primary"
        className="self-start"
        pending={pending}
        disabled={changed.length === 0 && !pending}
      >
        Save
      </Button>
    </form>
  );
}
