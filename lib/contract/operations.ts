import type { Operation } from "./operation";
import { cancelClientSession, createClientSession, getClientSession } from "./operations/client-sessions";
import {
  capturePayment,
  createPayment,
  getPayment,
  listPayments,
  refundPayment,
  voidPayment,
} from "./operations/payments";
import { activatePlan, createPlan, deactivatePlan, getPlan, listPlans, updatePlan } from "./operations/plans";
import { getOpenApi } from "./operations/service";
import {
  captureTransaction,
  getTransaction,
  listTransactions,
  refundTransaction,
  searchTransactions,
  voidTransaction,
} from "./operations/transactions";

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
