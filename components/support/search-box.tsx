"use client";

import { Search } from "lucide-react";
import Form from "next/form";
import { type SubmitEvent, useState } from "react";
import { Field, Input } from "@/components/ui/field";
import { passesLuhn } from "@/lib/contract/payments/payment";
import { SubmitButton } from "./buttons";

type SearchBoxProps = {
  text: string;
  /** Why the last search was not made. */
  refusal: string | null;
};

const HINT =
  "Id, e-mail address, last 4 digits, amount, request id, idempotency key or merchant name. Every search is recorded.";
const SECRET = "That looks like a card number or a whole API key. Search by the last 4 digits, or the key's id.";

/** What must not even reach an address bar: whole card numbers and keys. The service refuses them as well. */
function looksSecret(text: string): boolean {
  const digits = text.replace(/[\s-]/g, "");
  return (/^\d{13,19}$/.test(digits) && passesLuhn(digits)) || /sk_(test|live)_/.test(text);
}

/** What most come to this page for. */
function takeFocus(input: HTMLInputElement | null): void {
  input?.focus({ preventScroll: true });
}

export function SearchBox({ text, refusal }: SearchBoxProps) {
  const [error, setError] = useState(refusal);

  function check(event: SubmitEvent<HTMLFormElement>) {
    const typed = String(new FormData(event.currentTarget).get("q") ?? "").trim();
    const problem = typed === "" ? "Type what to look for." : looksSecret(typed) ? SECRET : null;
    setError(problem);
    if (problem !== null) event.preventDefault();
  }

  return (
    <search>
      <Form action="/support" prefetch={false} onSubmit={check} noValidate className="mb-6 max-w-2xl">
        <Field label="Search all merchants" hideLabel hint={HINT} error={error}>
          {(props) => (
            <div className="flex gap-2">
              <div className="relative min-w-0 flex-1">
                <Search
                  aria-hidden="true"
                  className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-soft"
                />
                <Input
                  {...props}
                  type="search"
                  name="q"
                  defaultValue={text}
                  ref={takeFocus}
                  autoComplete="off"
                  autoCapitalize="off"
                  spellCheck={false}
                  maxLength={255}
                  enterKeyHint="search"
                  className="h-9 pl-8"
                />
              </div>
              <SubmitButton className="h-9">Search</SubmitButton>
            </div>
          )}
        </Field>
      </Form>
    </search>
  );
}
