import { z } from "zod";
import { dashboardEndpoint, endpoint, QUERY_ERRORS } from "@/lib/contract/endpoint";
import {
  createdParams,
  currency,
  isInOrder,
  isPagedOnce,
  listOf,
  OUT_OF_ORDER,
  PAGED_TWICE,
  pageParams,
} from "@/lib/contract/fields";
import { balance, balanceMovement, movementType } from "./balance";
import { bankAccount, payout, payoutStatus, updateBankAccountBody } from "./payout";
import { settlementBatch } from "./settlement-batch";

/** Shared by the lists of this file. */
const page = {
  ...pageParams,
  currency: currency.optional().describe("Only this currency."),
  ...createdParams,
};

export const listMovementsQuery = z
  .strictObject({ ...page, type: movementType.optional().describe("Only this kind of movement.") })
  .refine(isInOrder, OUT_OF_ORDER)
  .refine(isPagedOnce, PAGED_TWICE);
export type ListMovementsQuery = z.infer<typeof listMovementsQuery>;
export const listPayoutsQuery = z
  .strictObject({ ...page, status: payoutStatus.optional().describe("Only this status.") })
  .refine(isInOrder, OUT_OF_ORDER)
  .refine(isPagedOnce, PAGED_TWICE);
export type ListPayoutsQuery = z.infer<typeof listPayoutsQuery>;
export const listSettlementBatchesQuery = z
  .strictObject(page)
  .refine(isInOrder, OUT_OF_ORDER)
  .refine(isPagedOnce, PAGED_TWICE);
export type ListSettlementBatchesQuery = z.infer<typeof listSettlementBatchesQuery>;

const reading = {
  method: "GET",
  tag: "Balance",
  permissions: ["balance.read"],
  idempotency: "none",
  status: 200,
} as const;

export const getBalance = endpoint({
  ...reading,
  name: "getBalance",
  path: "/v1/balance",
  summary: "Get the balance",
  description: "What is pending, available and on its way to your bank, by currency, exact at the time of the request.",
  response: balance,
  errors: [],
});

export const listMovements = endpoint({
  ...reading,
  name: "listMovements",
  list: true,
  path: "/v1/balance/movements",
  summary: "List balance movements",
  description:
    "Everything that changed the balance, newest first, each with its transaction, settlement batch or payout.",
  query: listMovementsQuery,
  response: listOf(balanceMovement).meta({ id: "BalanceMovementList" }),
  errors: QUERY_ERRORS,
});

export const listPayouts = endpoint({
  ...reading,
  name: "listPayouts",
  list: true,
  path: "/v1/payouts",
  summary: "List payouts",
  description:
    "Newest first. In the sandbox each settled batch is paid out, and reaches the bank on the next bank day.",
  query: listPayoutsQuery,
  response: listOf(payout).meta({ id: "PayoutList" }),
  errors: QUERY_ERRORS,
});

export const getPayout = endpoint({
  ...reading,
  name: "getPayout",
  path: "/v1/payouts/{id}",
  summary: "Get a payout",
  description: "One payout.",
  response: payout,
  errors: ["resource_not_found"],
});

export const listSettlementBatches = endpoint({
  ...reading,
  name: "listSettlementBatches",
  list: true,
  path: "/v1/settlement-batches",
  summary: "List settlement batches",
  description: "Newest first. A batch holds transactions of one currency that settled together.",
  query: listSettlementBatchesQuery,
  response: listOf(settlementBatch).meta({ id: "SettlementBatchList" }),
  errors: QUERY_ERRORS,
});

export const getSettlementBatch = endpoint({
  ...reading,
  name: "getSettlementBatch",
  path: "/v1/settlement-batches/{id}",
  summary: "Get a settlement batch",
  description: "One settlement batch.",
  response: settlementBatch,
  errors: ["resource_not_found"],
});

/** Retries a failed payout with everything now available in its currency. */
export const retryPayout = dashboardEndpoint({
  name: "retryPayout",
  method: "POST",
  path: "/api/dashboard/{mode}/payouts/{id}/retry",
  permission: "payout.retry",
  verified: "live",
  status: 201,
  response: payout,
});

export const updateBankAccount = dashboardEndpoint({
  name: "updateBankAccount",
  method: "PATCH",
  path: "/api/dashboard/{mode}/bank-account",
  permission: "settings.manage",
  reauthentication: "live",
  verified: "live",
  body: updateBankAccountBody,
  status: 200,
  response: bankAccount.extend({ holder: z.string() }),
});
