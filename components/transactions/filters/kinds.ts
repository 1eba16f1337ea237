import type { TransactionFilters } from "@/lib/client/transaction-query";

export type FilterName = "Status" | "Card" | "Amount" | "Date" | "Customer";

/** The kinds of filter in their order: whether one is in use, and how wide its form is. */
export const FILTER_KINDS: readonly { name: FilterName; isUsed: (f: TransactionFilters) => boolean; width: string }[] =
  [
    { name: "Status", isUsed: (f) => f.statuses.length > 0, width: "w-52" },
    { name: "Card", isUsed: (f) => f.brands.length > 0, width: "w-44" },
    { name: "Amount", isUsed: (f) => f.amount !== null, width: "w-80" },
    { name: "Date", isUsed: (f) => f.created !== null, width: "w-80" },
    {
      name: "Customer",
      isUsed: (f) => [f.customerEmail, f.customerId, f.subscriptionId, f.last4].some((value) => value !== null),
      width: "w-80",
    },
  ];
