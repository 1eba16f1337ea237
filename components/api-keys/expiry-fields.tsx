"use client";

import { type UseFormReturn, useWatch } from "react-hook-form";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { expiryOf, type KeyFormValues } from "@/lib/client/key-form";
import { useNow } from "@/lib/client/time-display";
import { fullTimeText } from "@/lib/client/time-text";

type ExpiryFieldsProps = { form: UseFormReturn<KeyFormValues>; timeZone: string; tomorrow: string };

export function ExpiryFields({ form, timeZone, tomorrow }: ExpiryFieldsProps) {
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
