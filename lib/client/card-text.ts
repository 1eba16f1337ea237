import type { CardBrand } from "@/lib/contract/transaction-words";

const BRAND_NAMES: Record<CardBrand, string> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  discover: "Discover",
};

/** `Visa •••• 4242`, as the card is spoken of in sentences and on buttons. */
export function cardText(brand: CardBrand | null, last4: string | null): string {
  const name = brand === null ? "card" : BRAND_NAMES[brand];
  return last4 === null ? name : `${name} •••• ${last4}`;
}
