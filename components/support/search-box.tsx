"use client";

import { Search } from "lucide-react";
import Form from "next/form";
import { type SubmitEvent, useState } from "react";
import { Field, Input } from "@/components/ui/field";
import { HOLDS_SECRET, holdsSecret } from "@/lib/contract/secrets";
import { SubmitButton } from "./buttons";

type SupportSearchProps = {
  text: string;
  /** Reason why the last search was refused. */
  refusal: string | null;
};

const HINT =
  "An id, e-mail address, key or merchant, or what you know: 4242 about $20 yesterday. Every search is recorded.";

/** Most users come to this page to search. */
function takeFocus(input: HTMLInputElement | null): void {
  input?.focus({ preventScroll: true });
}

export function SupportSearch({ text, refusal }: SupportSearchProps) {
  const [error, setError] = useState(refusal);

  /** Keeps secrets out of the address bar. The service refuses them as well. */
  function check(event: SubmitEvent<HTMLFormElement>) {
    const typed = String(new FormData(event.currentTarget).get("q") ?? "").trim();
    const problem = typed === "" ? "Enter something to search for." : holdsSecret(typed) ? HOLDS_SECRET : null;
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
