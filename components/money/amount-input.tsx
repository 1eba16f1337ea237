"use client";

import type { ComponentProps } from "react";
import { Input } from "@/components/ui/input";

/** Focus and selection when the field appears: the amount is what most people came to change. */
function takeFocus(input: HTMLInputElement | null): void {
  input?.focus({ preventScroll: true });
  input?.select();
}

type AmountInputProps = Omit<ComponentProps<"input">, "type" | "ref"> & { currency: string };

/** An amount in major units, with its currency beside it. */
export function AmountInput({ currency, ...rest }: AmountInputProps) {
  return (
    <div className="relative">
      <Input
        {...rest}
        ref={takeFocus}
        inputMode="decimal"
        autoComplete="off"
        className="pr-12 font-mono tabular-nums"
      />
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-soft text-xs"
      >
        {currency}
      </span>
    </div>
  );
}
