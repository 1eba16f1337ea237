import { amountText, MINOR_UNITS } from "@/lib/contract/currencies";
import { dateText, fullTimeText } from "@/lib/contract/format";
import { type CreatedRange, DATE_PRESETS, isDay } from "@/lib/contract/transactions/created-range";
import { type AmountFilter, NO_FILTERS, type TransactionFilters } from "@/lib/contract/transactions/query";
import type { CardBrand } from "@/lib/contract/transactions/words";

/** An active filter in words, and what to set to be rid of it. */
type FilterChip = {
  key: keyof TransactionFilters;
  label: string;
  title?: string;
  without: Partial<TransactionFilters>;
};

/** The active filters in words. Days are those of `timeZone`. */
export function filterChips(filters: TransactionFilters, timeZone: string): FilterChip[] {
  const { statuses, brands, amount, created } = filters;
  const chips: (Omit<FilterChip, "without"> | null)[] = [
    statuses.length > 0 ? { key: "statuses", label: `Status: ${listed(statuses.map(wordLabel))}` } : null,
    brands.length > 0 ? { key: "brands", label: `Card: ${listed(brands.map(brandLabel))}` } : null,
    amount && { key: "amount", label: `Amount: ${amountLabel(amount)}`, title: AMOUNT_NOTE },
    created && { key: "created", label: `Created: ${createdLabel(created)}`, title: `Days in ${timeZone}` },
    filters.customerEmail !== null ? { key: "customerEmail", label: `E-mail: ${filters.customerEmail}` } : null,
    filters.customerId !== null ? { key: "customerId", label: `Customer: ${filters.customerId}` } : null,
    filters.last4 !== null ? { key: "last4", label: `Card ends in ${filters.last4}` } : null,
    filters.subscriptionId !== null
      ? { key: "subscriptionId", label: `Subscription: ${filters.subscriptionId}` }
      : null,
  ];
  return chips.flatMap((chip) => (chip ? [{ ...chip, without: { [chip.key]: NO_FILTERS[chip.key] } }] : []));
}

export const AMOUNT_NOTE =
  "Amounts are compared in minor units, whatever the currency: 50.00 also finds ¥5,000 and 5.000 KWD.";

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function amountLabel({ gte, lte, unit }: AmountFilter): string {
  const text = (minor: number) => amountText(minor, unit);
  const name = unit === MINOR_UNITS ? " minor units" : `, as ${unit}`;
  if (gte !== null && gte === lte) return `${text(gte)}${name}`;
  if (gte !== null && lte !== null) return `${text(gte)} to ${text(lte)}${name}`;
  return gte === null ? `at most ${text(lte ?? 0)}${name}` : `at least ${text(gte)}${name}`;
}

function createdLabel(created: CreatedRange): string {
  if ("preset" in created) return DATE_PRESETS[created.preset].toLowerCase();
  const { from, to } = created;
  if (from !== null && from === to) return momentLabel(from);
  if (from !== null && to !== null) return `${momentLabel(from)} to ${momentLabel(to)}`;
  if (from === null) return `until ${momentLabel(to ?? "")}`;
  return isDay(from) ? `since ${momentLabel(from)}` : `after ${momentLabel(from)}`;
}

/** Days as they are written, instants in UTC. */
function momentLabel(moment: string): string {
  return isDay(moment) ? dateText(new Date(`${moment}T12:00:00Z`), "UTC") : fullTimeText(new Date(moment), "UTC");
}

/** Short, for where many stand below one another. */
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
