"use client";

import { type ReactNode, useState } from "react";
import { FormFailure } from "@/components/ui/form-failure";
import { ApiError } from "@/lib/client/api";
import { failureText } from "@/lib/client/failure-text";
import { EDITABLE_FIELDS, fieldWords } from "@/lib/client/plan-form";
import type { PlanForm } from "./plan-fields";

const FIELDS: readonly string[] = EDITABLE_FIELDS;

/** Puts a refusal of the API on the fields that it names, and the rest above the form. */
export function usePlanFailure(form: PlanForm): {
  failure: ReactNode;
  show(error: unknown): void;
  clear(): void;
} {
  const [text, setText] = useState<string | null>(null);

  function show(error: unknown): void {
    if (!(error instanceof ApiError)) {
      setText(failureText(error));
      return;
    }
    const named = error.errors.length > 0 ? error.errors : [{ param: error.param ?? "", message: error.detail }];
    const own = named.filter(({ param }) => FIELDS.includes(param));
    for (const [index, refusal] of own.entries()) {
      const name = refusal.param as (typeof EDITABLE_FIELDS)[number];
      form.setError(name, { type: "server", message: fieldWords(refusal) }, { shouldFocus: index === 0 });
    }
    if (own.length < named.length || own.length === 0) setText(failureText(error));
  }

  const failure = <FormFailure failure={{ text }} />;
  return { failure, show, clear: () => setText(null) };
}
