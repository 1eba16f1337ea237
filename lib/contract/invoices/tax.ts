/** The tax that an environment's prices include: one rate. Exact, in minor units of any currency. */

/** A rate in thousandths of a percent: 19 % is 19,000. `name`: what customers call it, such as VAT or MwSt. */
export type Tax = { readonly name: string; readonly rate: number };

/** A rate of 100 %. */
export const MAX_TAX_RATE = 100_000;
export const MAX_TAX_NAME = 20;

const WHOLE = 100_000n;

/**
 * The tax in an amount that includes it, rounded half-even. Negative amounts have negative tax. The database's
 * `included_tax` is the same function.
 */
export function includedTax(gross: number, rate: number): number {
  const [part, whole] = [BigInt(Math.abs(gross)) * BigInt(rate), WHOLE + BigInt(rate)];
  const [floor, twice] = [part / whole, (part % whole) * 2n];
  const isUp = twice > whole || (twice === whole && floor % 2n === 1n);
  const tax = Number(floor) + (isUp ? 1 : 0);
  // Avoids -0, which JSON turns into 0.
  return gross < 0 && tax > 0 ? -tax : tax;
}

/** A tax as documents show it, of one gross amount. Minor units. */
export type ShownTax = Tax & { readonly net: number; readonly amount: number };

/** Null without a rate. Columns of both come from one row, so that they are both set or both null. */
export function taxIn(gross: number, { tax_name: name, tax_rate: rate }: TaxColumns): ShownTax | null {
  if (name === null || rate === null) return null;
  const amount = includedTax(gross, rate);
  return { name, rate, net: gross - amount, amount };
}

/** The tax of a row: of an environment at present, of a document as it was when that was issued. */
export type TaxColumns = { readonly tax_name: string | null; readonly tax_rate: number | null };

/** The rate as a percentage: 8.25 for 8,250. */
export const ratePercent = (rate: number): number => rate / 1_000;

/** Reads a typed percentage with at most three decimals, such as "19", "8.25 %" or "5,5"; null if it is none. */
export function readTaxRate(text: string): number | null {
  const number = text.trim().replace(/%$/, "").trimEnd();
  const [, whole = "", decimals = ""] = /^(\d{1,3})(?:[.,](\d{1,3}))?$/.exec(number) ?? [];
  if (whole === "") return null;
  const rate = Number(whole) * 1_000 + Number(decimals.padEnd(3, "0"));
  return rate > 0 && rate <= MAX_TAX_RATE ? rate : null;
}

type TaxProblem = { readonly param: "tax_name" | "tax_percentage"; readonly message: string };

/** Problems of a name and a rate as typed. Both are given, or neither. */
export function taxProblems(name: string, percentage: string): TaxProblem[] {
  if (name.trim() === "" && percentage.trim() === "") return [];
  if (name.trim() === "") return [{ param: "tax_name", message: "Enter what customers call the tax, such as VAT." }];
  if (readTaxRate(percentage) !== null) return [];
  const message = "Enter a percentage above 0 and up to 100, with at most three decimals, such as 19 or 8.25.";
  return [{ param: "tax_percentage", message }];
}

/** "VAT 19%", "MwSt 19 %". `locale`: for Intl. */
export function taxLabel({ name, rate }: Tax, locale: string): string {
  const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 3 });
  return `${name} ${percent.format(rate / MAX_TAX_RATE)}`;
}
