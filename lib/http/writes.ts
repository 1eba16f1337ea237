import type { Operation } from "@/lib/contract/operation";

/** Whether an operation changes anything. A search is a POST only because its filters are a body. */
export const writes = ({ method, name }: Pick<Operation, "method" | "name">): boolean =>
  method !== "GET" && name !== "searchTransactions";
