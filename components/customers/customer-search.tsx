"use client";

import { Search } from "lucide-react";
import Form from "next/form";
import Link from "next/link";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/field";
import { buttonStyles } from "@/components/ui/styles";
import { HOLDS_SECRET, holdsSecret } from "@/lib/contract/secrets";

/** The search terms are in the address, so that results can be shared. */
export function CustomerSearch({ path, text }: { path: string; text: string }) {
  const [isRefused, setRefused] = useState(false);
  return (
    <search>
      <Form
        action={path}
        prefetch={false}
        className="mb-3 flex max-w-xl flex-wrap items-center gap-2"
        onSubmit={(event) => {
          const isSecret = holdsSecret(String(new FormData(event.currentTarget).get("q") ?? ""));
          setRefused(isSecret);
          if (isSecret) event.preventDefault();
        }}
      >
        <div className="relative min-w-0 flex-1">
          <Search
            aria-hidden="true"
            className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-soft"
          />
          <Input
            key={text}
            type="search"
            name="q"
            aria-label="Search customers"
            aria-invalid={isRefused || undefined}
            aria-describedby="customer-search-problem"
            placeholder="Name, e-mail or your customer id"
            defaultValue={text}
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
            enterKeyHint="search"
            className="pl-8"
          />
        </div>
        <Button type="submit">Search</Button>
        {text !== "" && (
          <Link href={path} prefetch={false} className={buttonStyles({ variant: "ghost" })}>
            Clear
          </Link>
        )}
        <output id="customer-search-problem" className={isRefused ? "block basis-full text-red text-xs" : "sr-only"}>
          {isRefused && HOLDS_SECRET}
        </output>
      </Form>
    </search>
  );
}
