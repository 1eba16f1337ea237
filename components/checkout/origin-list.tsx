"use client";

import { Plus, X } from "lucide-react";
import { useId } from "react";
import { useFieldArray } from "react-hook-form";
import { Button } from "@/components/ui/button";
import { IconButton } from "@/components/ui/icon-button";
import { Input } from "@/components/ui/input";
import { originTyped } from "@/lib/client/checkout/session-form";
import type { SessionForm } from "./session-fields";

/** As many as a session takes. */
const MAX_ORIGINS = 20;

/** The pages that may show the form, a line each. */
export function OriginList({ form }: { form: SessionForm }) {
  const id = useId();
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "allowed_origins" });
  const errors = form.formState.errors.allowed_origins;
  return (
    <fieldset className="min-w-0" aria-describedby={`${id}-hint`}>
      <legend className="font-medium text-[13px] leading-5">
        Allowed origins<span className="font-normal text-soft"> (optional)</span>
      </legend>
      <p id={`${id}-hint`} className="mb-1.5 text-soft text-xs leading-5">
        Sites that may embed the form, such as https://shop.example. The payment link works without any.
      </p>
      <ul className="flex flex-col gap-2">
        {fields.map((field, index) => {
          const message = errors?.[index]?.origin?.message;
          const errorId = `${id}-${index}-error`;
          return (
            <li key={field.id}>
              <div className="flex gap-2">
                <Input
                  {...form.register(`allowed_origins.${index}.origin`, {
                    onBlur: (event: { target: { value: string } }) =>
                      form.setValue(`allowed_origins.${index}.origin`, originTyped(event.target.value)),
                  })}
                  aria-label={`Origin ${index + 1}`}
                  aria-describedby={message ? errorId : undefined}
                  aria-invalid={message ? true : undefined}
                  placeholder="https://shop.example"
                  inputMode="url"
                  autoComplete="off"
                  spellCheck={false}
                />
                {fields.length > 1 && (
                  <IconButton label={`Remove origin ${index + 1}`} onClick={() => remove(index)}>
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
      {fields.length < MAX_ORIGINS && (
        <Button
          size="sm"
          variant="ghost"
          className="mt-1.5 -ml-2"
          icon={<Plus aria-hidden="true" />}
          onClick={() => append({ origin: "" })}
        >
          Add another
        </Button>
      )}
    </fieldset>
  );
}
