import type { PostalCodeRule } from "@/lib/contract/checkout/checkout";
import type { BillingAddress } from "@/lib/contract/fields";

const setOf = (codes: string): ReadonlySet<string> => new Set(codes.split(" "));

/** Currencies whose issuers check a card's postal code, and whose shoppers expect to enter it. */
const CURRENCIES = setOf("USD CAD GBP");
/** Countries of those issuers, and the territories that share their postal codes. */
const COUNTRIES = setOf("US CA GB AS GU MP PR UM VI GG IM JE");
/** Countries without postal codes, or where hardly anyone knows theirs. */
const WITHOUT = setOf(
  "AE AG AN AO AW BF BI BJ BO BQ BS BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GA GD GH GM GQ GY HK IE JM KI KM KN KP LC LY ML MO MR MW NR NU PA QA RW SB SC SL SO SR SS ST SX SY TD TF TG TK TL TO TT TV UG VC VU WS YE ZW",
);

type Sale = { currency: string; billing_address: BillingAddress | null };

/**
 * Decides if the form has a postal code field: by the address's country, otherwise by the currency, and then
 * the shopper may live in a country without postal codes. `requested`: the merchant's choice; null leaves it
 * to us.
 */
export function postalCodeRule(
  { currency, billing_address: address }: Sale,
  requested: boolean | null,
): PostalCodeRule | null {
  const country = address?.country ?? null;
  const isChecked = country === null ? CURRENCIES.has(currency) : COUNTRIES.has(country);
  if (!(requested ?? (isChecked && !address?.postal_code))) return null;
  if (country === null) return "or_none";
  return WITHOUT.has(country) ? "optional" : "required";
}
