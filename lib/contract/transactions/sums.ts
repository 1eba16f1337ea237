/** Sums of a list of transactions or of selected ones, requested separately from the rows. */
import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";

/** Minor units of one currency. */
export type CurrencySum = {
  readonly currency: string;
  /** Captured by the charges among the rows. */
  readonly gross: number;
  /**
   * Refunded by the refunds among the rows, except pending or failed ones; if all are charges, by these
   * charges' refunds.
   */
  readonly refunded: number;
  /** Cardlane's fees on the charges among the rows. */
  readonly fees: number;
  /** Gross less refunded and fees. */
  readonly net: number;
};

export type TransactionSums = {
  /** Rows included, at most the cap of a list's total. */
  readonly rows: number;
  /** There are more rows: these are the first of the list. */
  readonly capped: boolean;
  /** By currency code. */
  readonly sums: readonly CurrencySum[];
};

export const sumTransactions = dashboardEndpoint({
  name: "sumTransactions",
  method: "GET",
  path: "/api/dashboard/{mode}/transactions/sums",
  permission: "transaction.search",
  /** `search`: the page's query string, parsed by the same code; or `ids`, separated by commas. */
  query: z.strictObject({ search: z.string().max(8_000).default(""), ids: z.string().max(8_000).optional() }),
  status: 200,
  response: z.custom<TransactionSums>(),
});
