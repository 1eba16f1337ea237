import { currencyDigits } from "@/lib/contract/currencies";

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string): Intl.NumberFormat {
  let format = formats.get(currency);
  if (!format) {
    const digits = currencyDigits(currency);
    format = new Intl.NumberFormat("en-US", {
      style: "currency",
      currency,
      currencyDisplay: "narrowSymbol",
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    formats.set(currency, format);
  }
  return format;
}

/** Minor units → "$1,234.50". The text is exact: Intl gets a decimal string, not a float. */
export function moneyText(amount: number, currency: string): string {
  const digits = currencyDigits(currency);
  const sign = amount < 0 ? "-" : "";
  const minor = String(Math.abs(amount)).padStart(digits + 1, "0");
  const decimal = digits === 0 ? minor : `${minor.slice(0, -digits)}.${minor.slice(-digits)}`;
  return formatOf(currency).format(`${sign}${decimal}` as `${number}`);
}

/** Minor units → "$1,234.50 USD"; "CHF 12.00" where the code stands already. */
export function moneyTextWithCode(amount: number, currency: string): string {
  const text = moneyText(amount, currency);
  return text.includes(currency) ? text : `${text} ${currency}`;
}
