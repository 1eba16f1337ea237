import type { BillingAddress } from "@/lib/contract/fields";

/** A billing address with the postal code that was typed beside the card; null when there is neither. */
export function withPostalCode(address: BillingAddress | null, postalCode: string | null): BillingAddress | null {
  if (postalCode === null) return address;
  const none = { line1: null, line2: null, city: null, state: null, country: null };
  return { ...none, ...address, postal_code: postalCode };
}
