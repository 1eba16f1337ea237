/** What transactions come to: of a list as a whole, or of those that are chosen; asked for apart from the rows. */
import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";

/** Minor units of one currency. */
export type CurrencySum = {
  readonly currency: string;
  /** Captured by the charges among the rows. */
  readonly gross: number;
  /** Paid back by the refunds among the rows, but for those pending or failed; where all rows are charges, of these charges. */
  readonly refunded: number;
  /** Cardlane's fees on the charges among the rows. */
  readonly fees: number;
  /** Gross less refunded and fees. */
  readonly net: number;
};

export type TransactionSums = {
  /** Rows that were added up, at most the cap of a list's total. */
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
  /** `search`: the query string of the page, which the same code reads; or `ids`, with commas between them. */
  query: z.strictObject({ search: z.string().max(8_000).default(""), ids: z.string().max(8_000).optional() }),
  status: 200,
  response: z.custom<TransactionSums>(),
});
