"use client";

import { useRouter } from "next/navigation";
import { useTransition } from "react";
import { Select } from "@/components/ui/select";
import { overviewHref } from "@/lib/client/overview-links";
import type { Period } from "@/lib/contract/overview-period";
import type { Mode } from "@/lib/contract/transaction-words";

type CurrencySwitchProps = { mode: Mode; period: Period; currency: string; currencies: readonly string[] };

/** Amounts of different currencies are never added up, so one is shown at a time. */
export function CurrencySwitch({ mode, period, currency, currencies }: CurrencySwitchProps) {
  const router = useRouter();
  const [pending, startTransition] = useTransition();
  return (
    <Select
      aria-label="Currency"
      aria-busy={pending || undefined}
      className="w-22"
      value={currency}
      onChange={(event) => {
        const chosen = event.target.value;
        startTransition(() => router.push(overviewHref(mode, period, chosen), { scroll: false }));
      }}
    >
      {currencies.map((code) => (
        <option key={code} value={code}>
          {code}
        </option>
      ))}
    </Select>
  );
}
