import { CURRENCY_DIGITS } from "@/lib/contract/currencies";

/** Code and English name. */
export type CurrencyOption = { code: string; name: string };

const FIRST = ["USD", "EUR", "GBP"];

/** Every currency that money can be taken in, with its English name; the most used ones first. */
export function currencyOptions(): CurrencyOption[] {
  const names = new Intl.DisplayNames("en", { type: "currency" });
  const others = [...CURRENCY_DIGITS.keys()].filter((code) => !FIRST.includes(code)).toSorted();
  return [...FIRST, ...others].map((code) => ({ code, name: names.of(code) ?? code }));
}
