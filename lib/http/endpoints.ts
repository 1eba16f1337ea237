import * as clientSessions from "@/lib/contract/checkout/operations";
import type { BodyOf, Operation, QueryOf } from "@/lib/contract/operation";
import * as payments from "@/lib/contract/payments/operations";
import * as plans from "@/lib/contract/plans/operations";
import * as transactions from "@/lib/contract/transactions/operations";
import { cancelClientSession, createClientSession, getClientSession } from "@/lib/domain/checkout/client-sessions";
import type { Context, Reply } from "@/lib/domain/context";
import { createPayment } from "@/lib/domain/payments/create-payment";
import { capturePayment, refundPayment, voidPayment } from "@/lib/domain/payments/follow-up";
import { getPayment, listPayments } from "@/lib/domain/payments/read-payments";
import { activatePlan, createPlan, deactivatePlan, getPlan, listPlans, updatePlan } from "@/lib/domain/plans/plans";
import { captureTransaction, refundTransaction, voidTransaction } from "@/lib/domain/transactions/act-on-transactions";
import { getTransaction, listTransactions, searchTransactions } from "@/lib/domain/transactions/read-transactions";

/** An operation of the contract and the verb that does it. */
export type Endpoint = {
  readonly operation: Operation;
  /** A reply that stores its own bytes, or the object to answer. */
  readonly run: (ctx: Context, input: never) => Promise<Reply | object>;
};

type Input<O extends Operation> = (O["path"] extends `${string}{id}${string}` ? { id: string } : object) &
  (O["body"] extends object ? BodyOf<O> : object) &
  (O["query"] extends object ? QueryOf<O> : object);

function endpoint<O extends Operation>(
  operation: O,
  run: (ctx: Context, input: Input<O>) => Promise<Reply | object>,
): Endpoint {
  return { operation, run };
}

/** Which verb does which operation. A test fails when this, the contract and `app/v1` do not name the same ones. */
const ENDPOINTS: readonly Endpoint[] = [
  endpoint(payments.createPayment, createPayment),
  endpoint(payments.listPayments, listPayments),
  endpoint(payments.getPayment, getPayment),
  endpoint(payments.capturePayment, capturePayment),
  endpoint(payments.voidPayment, voidPayment),
  endpoint(payments.refundPayment, refundPayment),
  endpoint(transactions.listTransactions, listTransactions),
  endpoint(transactions.searchTransactions, searchTransactions),
  endpoint(transactions.getTransaction, getTransaction),
  endpoint(transactions.captureTransaction, captureTransaction),
  endpoint(transactions.voidTransaction, voidTransaction),
  endpoint(transactions.refundTransaction, refundTransaction),
  endpoint(plans.createPlan, createPlan),
  endpoint(plans.listPlans, listPlans),
  endpoint(plans.getPlan, getPlan),
  endpoint(plans.updatePlan, updatePlan),
  endpoint(plans.activatePlan, activatePlan),
  endpoint(plans.deactivatePlan, deactivatePlan),
  endpoint(clientSessions.createClientSession, createClientSession),
  endpoint(clientSessions.getClientSession, getClientSession),
  endpoint(clientSessions.cancelClientSession, cancelClientSession),
];

const BY_NAME: ReadonlyMap<string, Endpoint> = new Map(ENDPOINTS.map((entry) => [entry.operation.name, entry]));

/** The endpoint of an operation; null for those that need no verb (the OpenAPI document). */
export function findEndpoint(operation: Operation): Endpoint | null {
  return BY_NAME.get(operation.name) ?? null;
}
