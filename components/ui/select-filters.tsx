"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useTransition } from "react";
import { Spinner } from "./button";
import { Select } from "./field";
import { buttonStyles } from "./styles";

export type SelectFilter = {
  /** Parameter name in the address. */
  name: string;
  label: string;
  /** Label without a selection: "Every status". */
  all: string;
  options: readonly (readonly [value: string, label: string])[];
  value: string | null;
};

type SelectFiltersProps = { path: string /** "plans" */; what: string; filters: readonly SelectFilter[] };

/** Filters in the address, so that it can be shared and Back works. */
export function SelectFilters({ path, what, filters }: SelectFiltersProps) {
  const router = useRouter();
  const [pending, startTransition] = useTransition();

  function choose(chosen: SelectFilter, value: string) {
    const query = new URLSearchParams();
    for (const filter of filters) {
      const next = filter === chosen ? value : filter.value;
      if (next) query.set(filter.name, next);
    }
    const search = query.toString();
    startTransition(() => router.push(search ? `${path}?${search}` : path));
  }

  return (
    <search aria-label={`Filter ${what}`} className="mb-3 flex flex-wrap items-center gap-2">
      {filters.map((filter) => (
        <Select
          key={filter.name}
          aria-label={filter.label}
          className="w-auto"
          value={filter.value ?? ""}
          onChange={(event) => choose(filter, event.target.value)}
        >
          <option value="">{filter.all}</option>
          {filter.options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      ))}
      {filters.some(({ value }) => value) && (
        <Link href={path} className={buttonStyles({ variant: "ghost" })}>
          Clear
        </Link>
      )}
      <output className="inline-flex items-center gap-1.5 text-soft text-xs">
        {pending && (
          <>
            <Spinner /> Loading
          </>
        )}
      </output>
    </search>
  );
}
