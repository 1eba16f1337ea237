import type { CardBrand, TransactionStatus } from "@/lib/contract/transaction-words";

const BRANDS: Record<CardBrand, string> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "Amex",
  discover: "Discover",
};

export function brandLabel(brand: CardBrand): string {
  return BRANDS[brand];
}

/** "PARTIALLY_REFUNDED" → "Partially refunded", "insufficient_funds" → "Insufficient funds". */
export function wordLabel(word: string): string {
  const words = word.replaceAll("_", " ").toLowerCase().replace("cvv", "CVV");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function statusWord(status: TransactionStatus): string {
  return wordLabel(status);
}
