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
