import { createHash } from "node:crypto";
import { findPayment, type PaymentSnapshot } from "@/db/queries/payments/payments";
import { insertProcessorObject, listProcessorObjects } from "@/db/queries/payments/processor-objects";
import { encodeId } from "@/lib/contract/ids";
import type { ContinueRequest, Inquiry, Outcome, Processor } from "@/lib/processor/port";
import type { OutsideRefund, ProcessorObject } from "@/lib/processor/records";
import { clockTime, type Service } from "../context";
import type { OpenOperation } from "./operation";
import { hasEndedUnpaid } from "./states";
import { traceOf } from "./trace";

/** The fields that every processor call for an operation has. */
async function callReference(
  service: Service,
  processor: Processor,
  operation: Pick<OpenOperation, "id" | "environmentId" | "paymentId">,
) {
  const { id, environmentId, paymentId } = operation;
  const { sql } = service.db.within(environmentId);
  return {
    reference: id,
    account: environmentId,
    challengePage: challengeUrl(service, operation),
    objects: processor.capabilities.ownIds ? await listProcessorObjects(sql, environmentId, paymentId) : [],
  };
}

/** Our permanent id of a customer for the processor that stores their cards, without personal data. */
export const processorCustomer = (environmentId: string, customerId: string): string =>
  createHash("sha256").update(`${environmentId}\n${customerId}`).digest("hex");

/** The customer whose card it charges or stores, for a payment with a card on file. */
function cardOnFile(environmentId: string, payment: PaymentSnapshot["payment"]) {
  const { customer_id, initiator, saves_card } = payment;
  if (initiator === null && !saves_card) return {};
  if (customer_id === null) throw new Error(`payment ${payment.id} has a card on file and no customer`);
  const customer = processorCustomer(environmentId, customer_id);
  return initiator === null ? { store: { customer } } : { stored: { customer, initiator } };
}

/**
 * Calls the processor for an operation, always under the same reference. `token`: the card of an
 * authorization, which only its request has. `returned`: parameters that the shopper brought back from a
 * challenge.
 */
export async function callProcessor(
  service: Service,
  processor: Processor,
  operation: OpenOperation,
  snapshot: PaymentSnapshot,
  token: string | null,
  returned?: ContinueRequest["returned"],
): Promise<Outcome> {
  const { payment, transactions } = snapshot;
  const { amount, currency } = operation;
  const reference = {
    ...(operation.clock && { now: clockTime(service.clock, operation.clock) }),
    notAfter: new Date(operation.notAfter),
    ...(await holderReference(service, processor, operation)),
  };
  const reason = transactions.find(({ id }) => id === operation.transactionId)?.refund_reason ?? null;
  const trace = tracedBy(processor, operation, snapshot);
  const followUp = { authorization: payment.authorization_id, amount, currency, reason, ...trace, ...reference };
  switch (operation.kind) {
    case "authorize": {
      const charge = transactions.find(({ id }) => id === payment.charge_id);
      if (!charge) throw new Error(`payment ${payment.id} has no charge`);
      if (token === null) throw new Error(`authorization ${operation.id} cannot be sent without its card`);
      // The amount is the payment's, whichever request has the card.
      return processor.authorize({
        token,
        ...cardOnFile(operation.environmentId, payment),
        amount: payment.amount,
        currency: payment.currency,
        capture: payment.capture_method === "automatic",
        customerEmail: charge.customer_email,
        billingAddress: charge.billing_address,
        description: charge.description,
        metadata: charge.metadata,
        ...trace,
        ...reference,
      });
    }
    case "continue":
      return processor.continueAuthorization({
        ...reference,
        authorization: payment.authorization_id,
        challenge: challengeResult(operation),
        ...(returned && { returned }),
      });
    case "capture":
      return processor.capture(followUp);
    case "void":
      return processor.void({ ...followUp, ...(hasEndedUnpaid(payment.status) && { evenCaptured: true }) });
    case "refund":
      return processor.refund(followUp);
    default:
      return operation.kind satisfies never;
  }
}

/** The trace, for processors whose own list returns it. */
const tracedBy = ({ statement }: Processor, operation: OpenOperation, snapshot: PaymentSnapshot) =>
  statement ? { trace: traceOf(operation, snapshot) } : {};

/** The same for the operation's holder, who also stores the ids that the processor returns. */
async function holderReference(service: Service, processor: Processor, operation: OpenOperation) {
  return {
    keep: (object: ProcessorObject) => keepObject(service, processor, operation, object),
    ...(await callReference(service, processor, operation)),
  };
}

/** Throws if the operation is closed or another process holds it, to stop the connector's calls. */
async function keepObject(service: Service, processor: Processor, operation: OpenOperation, object: ProcessorObject) {
  const { sql } = service.db.within(operation.environmentId);
  const kept = await insertProcessorObject(sql, operation, { processor: processor.name, ...object });
  if (!kept) throw new Error(`operation ${operation.id} no longer belongs to this process`);
}

function challengeResult({ detail }: OpenOperation): "passed" | "failed" | "abandoned" {
  if (detail === "passed" || detail === "failed" || detail === "abandoned") return detail;
  throw new Error(`no challenge result is called ${detail}`);
}

/** Checks an operation's status at the processor. Moves no money. */
export async function inquireProcessor(
  service: Service,
  processor: Processor,
  operation: Pick<OpenOperation, "id" | "environmentId" | "paymentId" | "kind">,
  authorization: string,
): Promise<Inquiry> {
  const reference = await callReference(service, processor, operation);
  return processor.inquire({ ...reference, kind: operation.kind, authorization });
}

/** Refunds of a payment that were not made through Cardlane; null if the processor cannot list them. */
export async function listOutsideRefunds(
  service: Service,
  processor: Processor,
  environmentId: string,
  payment: { id: string; authorization_id: string },
): Promise<OutsideRefund[] | null> {
  if (!processor.listOutsideRefunds) return null;
  const about = { id: payment.authorization_id, environmentId, paymentId: payment.id };
  const { account, objects } = await callReference(service, processor, about);
  return processor.listOutsideRefunds({ account, objects, authorization: payment.authorization_id });
}

/** Checks the status for the operation's holder, and stores an id that the processor returns only now. */
export async function inquireHeld(
  service: Service,
  processor: Processor,
  operation: OpenOperation,
  authorization: string,
): Promise<Inquiry> {
  const reference = await holderReference(service, processor, operation);
  return processor.inquire({ ...reference, kind: operation.kind, authorization });
}

/** Ensures that an authorization that was not executed never will be. Moves no money. */
export async function closeAtProcessor(
  service: Service,
  processor: Processor,
  operation: OpenOperation,
): Promise<Inquiry> {
  const { amount, currency, environmentId, paymentId } = operation;
  const known = await findPayment(service.db.within(environmentId).sql, environmentId, paymentId);
  const charge = known?.transactions.find(({ id }) => id === known.payment.charge_id);
  if (!charge) throw new Error(`payment ${paymentId} has no charge`);
  const { description, metadata } = charge;
  const reference = await holderReference(service, processor, operation);
  const trace = known && tracedBy(processor, operation, known);
  return processor.close({ ...reference, amount, currency, description, metadata, ...trace });
}

/**
 * URL of the page where a shopper passes the sandbox's 3-D Secure challenge. It ends in a MAC, so that
 * guessing a payment's id passes no challenge.
 */
export function challengeUrl(service: Service, payment: { environmentId: string; paymentId: string }): string {
  const subject = challengeSubject(payment);
  return `${service.baseUrl}/challenge/${subject}.${service.secret.mac("challenge", subject)}`;
}

/**
 * Path of that page, or null for a page of the processor. Host and MAC are not compared: both may have
 * changed since the payment got its URL.
 */
export function challengePath(address: string, payment: { environmentId: string; paymentId: string }): string | null {
  const { pathname } = new URL(address);
  return pathname.startsWith(`/challenge/${challengeSubject(payment)}.`) ? pathname : null;
}

/** The text that the MAC at the end of the URL signs. */
export function challengeSubject({ environmentId, paymentId }: { environmentId: string; paymentId: string }): string {
  return `${encodeId("environment", environmentId)}.${encodeId("payment", paymentId)}`;
}
