"use client";

import { useRouter } from "next/navigation";
import { type ComponentProps, useMemo, useState } from "react";
import { FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Field, Input, Select } from "@/components/ui/field";
import { UnsavedGuard } from "@/components/ui/form";
import { useHydrated } from "@/components/ui/hooks";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";

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

/** Up to what somebody refunds without showing again who they are. `limit`: US dollars. */
export function RefundLimitForm({ limit }: { limit: number }) {
  const router = useRouter();
  const [saved, setSaved] = useState(String(limit));
  const [text, setText] = useState(saved);
  const { pending, failure, run } = useSubmit(["refund_limit_usd"]);
  const changed = text.trim() !== saved;

  async function save() {
    // What is no number goes as it is: the answer says what it has to be.
    const given = /^\d{1,12}$/.test(text.trim()) ? Number(text) : text;
    await callApi({ method: "PATCH", path: "/api/dashboard/business/refund-limit", body: { refund_limit_usd: given } });
    setSaved(String(given));
    setText(String(given));
    toast.success("Saved");
    router.refresh();
  }

  return (
    <form method="post" noValidate onSubmit={(event) => run(save, event)} className="flex flex-col gap-4">
      <UnsavedGuard dirty={changed && !pending} />
      <FormFailure failure={failure} />
      <Field
        label="Confirm refunds over"
        error={failure.fields.refund_limit_usd}
        hint="Whoever refunds more than this within a day from the dashboard confirms it with their second factor or password. Other currencies count at about the same value. 0 asks for every refund. API keys are never asked."
      >
        {(props) => (
          <span className="flex items-center gap-2">
            <Input
              {...props}
              name="refund_limit_usd"
              inputMode="numeric"
              autoComplete="off"
              maxLength={12}
              value={text}
              onChange={(event) => setText(event.target.value)}
              className="max-w-40 tabular-nums"
            />
            <span className="text-[13px] text-soft">US dollars</span>
          </span>
        )}
      </Field>
      <Button type="submit" variant="primary" className="self-start" pending={pending} disabled={!changed && !pending}>
        Save limit
      </Button>
    </form>
  );
}

/** Every zone that the browser knows, by part of the world. Until the page is alive only the chosen one is in it. */
function TimeZoneSelect({ value, ...rest }: ComponentProps<"select"> & { value: string }) {
  const hydrated = useHydrated();
  const groups = useMemo(() => (hydrated ? zonesByRegion(value) : new Map([["", [value]]])), [hydrated, value]);
  return (
    <Select {...rest} value={value}>
      {[...groups].map(([region, zones]) =>
        region === "" ? (
          zones.map((zone) => <Zone key={zone} zone={zone} />)
        ) : (
          <optgroup key={region} label={region}>
            {zones.map((zone) => (
              <Zone key={zone} zone={zone} />
            ))}
          </optgroup>
        ),
      )}
    </Select>
  );
}

function Zone({ zone }: { zone: string }) {
  return <option value={zone}>{zone.replaceAll("_", " ")}</option>;
}

/** Part of the world → its zones; the ones without, such as UTC, under "". */
function zonesByRegion(chosen: string): Map<string, string[]> {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set(["UTC", own, chosen, ...Intl.supportedValuesOf("timeZone")])].toSorted();
  const groups = new Map<string, string[]>([["", []]]);
  for (const zone of zones) {
    const region = zone.includes("/") ? zone.slice(0, zone.indexOf("/")) : "";
    groups.set(region, [...(groups.get(region) ?? []), zone]);
  }
  return groups;
}
