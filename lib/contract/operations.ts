import { z } from "zod";
import { cancelClientSession, createClientSession, getClientSession } from "./checkout/operations";
import { type Operation, operation } from "./operation";
import {
  capturePayment,
  createPayment,
  getPayment,
  listPayments,
  refundPayment,
  voidPayment,
} from "./payments/operations";
import { activatePlan, createPlan, deactivatePlan, getPlan, listPlans, updatePlan } from "./plans/operations";
import {
  captureTransaction,
  getTransaction,
  listTransactions,
  refundTransaction,
  searchTransactions,
  voidTransaction,
} from "./transactions/operations";

export const health = z
  .object({ status: z.enum(["live", "ready"]).describe("`live`: the process runs. `ready`: it can serve requests.") })
  .meta({ id: "Health" });

export const getOpenApi = operation({
  name: "getOpenApi",
  method: "GET",
  path: "/v1/openapi.json",
  tag: "Service",
  summary: "Get this document",
  description: "The OpenAPI 3.1 description of this API, made from the same schemas that check requests.",
  permissions: [],
  idempotency: "none",
  status: 200,
  response: z.record(z.string(), z.unknown()),
  errors: ["rate_limited"],
});

/** Every endpoint of the service. */
export const OPERATIONS: readonly Operation[] = [
  createPayment,
  listPayments,
  getPayment,
  capturePayment,
  voidPayment,
  refundPayment,
  listTransactions,
  searchTransactions,
  getTransaction,
  captureTransaction,
  voidTransaction,
  refundTransaction,
  createPlan,
  listPlans,
  getPlan,
  updatePlan,
  activatePlan,
  deactivatePlan,
  createClientSession,
  getClientSession,
  cancelClientSession,
  getOpenApi,
];
