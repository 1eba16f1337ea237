/** What transactions come to: of a list as a whole, asked for apart from its rows. */
import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";

/** Minor units of one currency. */
export type CurrencySum = {
  readonly currency: string;
  /** Captured by the charges among the rows. */
  readonly gross: number;
  /** Paid back by the refunds among the rows, but for those pending or failed; where all rows are charges, of these charges. */
  readonly refunded: number;
  /** Gross less refunded, before fees. */
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
  /** `search`: the query string of the page, which the same code reads. */
  query: z.strictObject({ search: z.string().max(8_000).default("") }),
  status: 200,
  response: z.custom<TransactionSums>(),
});
