import type { Operation } from "@/lib/contract/operation";

/** Whether an operation changes anything. A search is a POST only because its filters are a body. */
export const writes = ({ method, name }: Pick<Operation, "method" | "name">): boolean =>
  method !== "GET" && name !== "searchTransactions";

/** Whether an answer may be long: lists, and a payment, which has up to 500 refunds. */
export const mayBeLong = ({ method, name }: Pick<Operation, "method" | "name">): boolean =>
  name === "getPayment" || name === "searchTransactions" || (method === "GET" && name.startsWith("list"));

/** Whether an operation moves the money of a payment that is there. */
export const movesMoneyOf = ({ idempotency, path }: Pick<Operation, "idempotency" | "path">): boolean =>
  idempotency === "required" && path.includes("{id}");
