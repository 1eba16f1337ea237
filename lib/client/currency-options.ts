import { CURRENCY_DIGITS } from "@/lib/contract/currencies";

const FIRST = ["USD", "EUR", "GBP"];

/** Every currency that money can be taken in, with its English name; the most used ones first. */
export function currencyOptions(): { code: string; name: string }[] {
  const names = new Intl.DisplayNames("en", { type: "currency" });
  const others = [...CURRENCY_DIGITS.keys()].filter((code) => !FIRST.includes(code)).toSorted();
  return [...FIRST, ...others].map((code) => ({ code, name: names.of(code) ?? code }));
}
