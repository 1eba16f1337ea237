import type { TransactionFilters } from "@/lib/client/transaction-query";

/** What every filter's form gets: the filters as they are, and how to change some of them. */
export type FilterProps = {
  filters: TransactionFilters;
  onChange: (patch: Partial<TransactionFilters>) => void;
  /** The filter is done with: a popover closes. */
  onDone?: () => void;
};
