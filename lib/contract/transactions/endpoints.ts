import { BODY_ERRORS, endpoint, QUERY_ERRORS } from "@/lib/contract/endpoint";
import { capturePayment, refundPayment, voidPayment } from "@/lib/contract/payments/endpoints";
import { listTransactionsQuery, searchTransactionsBody, transaction, transactionList } from "./transaction";

export const listTransactions = endpoint({
  name: "listTransactions",
  list: true,
  method: "GET",
  path: "/v1/transactions",
  tag: "Transactions",
  summary: "List transactions",
  description:
    "Newest first, with filters that must all match. `total` is exact up to 10,000, and at most two seconds old. `starting_after` pages through long lists at a constant cost.",
  permissions: ["transaction.read", "transaction.search"],
  idempotency: "none",
  query: listTransactionsQuery,
  status: 200,
  response: transactionList,
  errors: QUERY_ERRORS,
});

export const searchTransactions = endpoint({
  name: "searchTransactions",
  reads: true,
  list: true,
  method: "POST",
  path: "/v1/transactions/search",
  tag: "Transactions",
  summary: "Search transactions",
  description: "Filters, sorts and pages through transactions. Reads only, so it takes no idempotency key.",
  permissions: ["transaction.read", "transaction.search"],
  idempotency: "none",
  body: searchTransactionsBody,
  bodyOptional: true,
  status: 200,
  response: transactionList,
  errors: BODY_ERRORS,
});

export const getTransaction = endpoint({
  name: "getTransaction",
  method: "GET",
  path: "/v1/transactions/{id}",
  tag: "Transactions",
  summary: "Get a transaction",
  description: "One charge or refund.",
  permissions: ["transaction.read", "transaction.search"],
  idempotency: "none",
  status: 200,
  response: transaction,
  errors: ["resource_not_found"],
});

export const captureTransaction = endpoint({
  ...capturePayment,
  name: "captureTransaction",
  path: "/v1/transactions/{id}/capture",
  tag: "Transactions",
  summary: "Capture a transaction",
  description: "The same as capturing its payment; returns the transaction.",
  response: transaction,
});

export const voidTransaction = endpoint({
  ...voidPayment,
  name: "voidTransaction",
  path: "/v1/transactions/{id}/void",
  tag: "Transactions",
  summary: "Void a transaction",
  description: "The same as voiding its payment; returns the transaction.",
  response: transaction,
});

export const refundTransaction = endpoint({
  ...refundPayment,
  name: "refundTransaction",
  path: "/v1/transactions/{id}/refund",
  tag: "Transactions",
  summary: "Refund a transaction",
  description: "The same as refunding its payment; returns the new transaction of type `REFUND`.",
  response: transaction,
});
