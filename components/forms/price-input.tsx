import type { ComponentProps } from "react";
import { Input } from "@/components/ui/input";
import { currencyDigits, isSupportedCurrency } from "@/lib/contract/currencies";

/** A price in major units, with as many decimals as its currency has, and the currency beside it. */
export function PriceInput({ currency, ...props }: { currency: string } & ComponentProps<"input">) {
  const digits = isSupportedCurrency(currency) ? currencyDigits(currency) : 2;
  return (
    <span className="relative block">
      <Input
        {...props}
        inputMode="decimal"
        autoComplete="off"
        placeholder={(0).toFixed(digits)}
        className="w-full pr-14 font-mono tabular-nums"
      />
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 right-3 flex items-center font-mono text-soft text-xs"
      >
        {currency}
      </span>
    </span>
  );
}
