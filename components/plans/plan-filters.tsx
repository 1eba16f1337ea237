"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useTransition } from "react";
import { Spinner } from "@/components/ui/button";
import { Select } from "@/components/ui/field";
import { buttonStyles } from "@/components/ui/styles";
import type { PlanStatus, PlanType } from "@/lib/contract/plans/plan";
import { PLAN_TYPE_LABELS } from "@/lib/contract/plans/schedule";

type PlanFiltersProps = { path: string; status: PlanStatus | null; type: PlanType | null };

/** Both filters stand in the address, so that it can be sent to somebody and the back button works. */
export function PlanFilters({ path, status, type }: PlanFiltersProps) {
  const router = useRouter();
  const [pending, startTransition] = useTransition();

  function go(next: { status: string | null; type: string | null }) {
    const query = new URLSearchParams();
    if (next.status) query.set("status", next.status);
    if (next.type) query.set("type", next.type);
    const search = query.toString();
    startTransition(() => router.push(search ? `${path}?${search}` : path));
  }

  return (
    <search aria-label="Filter plans" className="mb-3 flex flex-wrap items-center gap-2">
      <Select
        aria-label="Status"
        className="w-auto"
        value={status ?? ""}
        onChange={(event) => go({ status: event.target.value, type })}
      >
        <option value="">Every status</option>
        <option value="DRAFT">Draft</option>
        <option value="ACTIVE">Active</option>
        <option value="INACTIVE">Inactive</option>
      </Select>
      <Select
        aria-label="Type"
        className="w-auto"
        value={type ?? ""}
        onChange={(event) => go({ status, type: event.target.value })}
      >
        <option value="">Every type</option>
        {Object.entries(PLAN_TYPE_LABELS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      {(status || type) && (
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
