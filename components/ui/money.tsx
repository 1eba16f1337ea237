import { moneyText } from "@/lib/client/money-text";
import { cn } from "./class-names";

type MoneyProps = {
  /** In minor units. */
  amount: number;
  currency: string;
  /** Without the currency's code, where a heading says it. */
  bare?: boolean;
  className?: string;
};

/** Digits of one width, so that a column of amounts lines up. */
export function Money({ amount, currency, bare = false, className }: MoneyProps) {
  const text = moneyText(amount, currency);
  return (
    <span className={cn("whitespace-nowrap font-mono tabular-nums tracking-tight", className)}>
      {text}
      {!bare && !text.includes(currency) && <span className="text-soft"> {currency}</span>}
    </span>
  );
}
