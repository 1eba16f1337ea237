import * as clientSessions from "@/lib/contract/checkout/operations";
import type { BodyOf, Operation, QueryOf } from "@/lib/contract/operation";
import * as payments from "@/lib/contract/payments/operations";
import * as plans from "@/lib/contract/plans/operations";
import * as transactions from "@/lib/contract/transactions/operations";
import { cancelClientSession } from "@/lib/domain/client-sessions/cancel-client-session";
import { createClientSession } from "@/lib/domain/client-sessions/create-client-session";
import { getClientSession } from "@/lib/domain/client-sessions/get-client-session";
import type { Context, Reply } from "@/lib/domain/context";
import { capturePayment } from "@/lib/domain/payments/capture-payment";
import { createPayment } from "@/lib/domain/payments/create-payment";
import { getPayment } from "@/lib/domain/payments/get-payment";
import { listPayments } from "@/lib/domain/payments/list-payments";
import { refundPayment } from "@/lib/domain/payments/refund-payment";
import { voidPayment } from "@/lib/domain/payments/void-payment";
import { activatePlan } from "@/lib/domain/plans/activate-plan";
import { createPlan } from "@/lib/domain/plans/create-plan";
import { deactivatePlan } from "@/lib/domain/plans/deactivate-plan";
import { getPlan } from "@/lib/domain/plans/get-plan";
import { listPlans } from "@/lib/domain/plans/list-plans";
import { updatePlan } from "@/lib/domain/plans/update-plan";
import { captureTransaction } from "@/lib/domain/transactions/capture-transaction";
import { getTransaction } from "@/lib/domain/transactions/get-transaction";
import { listTransactions } from "@/lib/domain/transactions/list-transactions";
import { refundTransaction } from "@/lib/domain/transactions/refund-transaction";
import { searchTransactions } from "@/lib/domain/transactions/search-transactions";
import { voidTransaction } from "@/lib/domain/transactions/void-transaction";

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
