import { findClientSession } from "@/db/queries/checkout/client-sessions";
import type { KeyClaim } from "@/db/queries/idempotency/keys";
import { findPaymentMethod } from "@/db/queries/payment-methods";
import { insertPayment, type Order, reserveFollowUp } from "@/db/queries/payments/intents";
import { takeOperation } from "@/db/queries/payments/operations";
import { isStaleOutcome } from "@/db/queries/payments/outcomes";
import { insertProcessorObject } from "@/db/queries/payments/processor-objects";
import type { InvoiceClaim } from "@/db/queries/subscriptions/claims";
import { findInvoice, findSubscription, runOn } from "@/db/queries/subscriptions/rows";
import { isRefused } from "@/db/refusals";
import { SYSTEM } from "@/db/schema/operations";
import { idTime } from "@/lib/ids";
import type { PaymentOrigin, ProcessorObject, StatementEntry, Trace } from "@/lib/processor/records";
import type { Reporter } from "@/lib/processor/registry";
import type { Environment, Service } from "../context";
import { forgetTotals } from "../lists";
import { newSnapshot } from "../payments/make-payment";
import { leaseOf } from "../payments/operation";
import { resolveOperation } from "../payments/recover-operations";
import { readTrace, type Traced } from "../payments/trace";
import { stepDue } from "../subscriptions/engine";

/*
 * Writes operations that the processor executed and a restored database lacks: T1 as it was then, by the same
 * statements and guards, and T2 by the recovery worker's own way, which checks the status at the processor.
 * Nothing is sent: the processor has just listed what is checked.
 */

/** `settled`: the outcome is booked. `open`: recovery will book it. `left`: it could not be written, and why. */
export type Adoption =
  | { readonly kind: "settled" | "open"; readonly notes: readonly string[] }
  | { readonly kind: "left"; readonly reason: string };

export type ListedPayment = Extract<StatementEntry, { kind: "payment" }> & {
  readonly reference: string;
  readonly origin: PaymentOrigin;
};

const left = (reason: string): Adoption => ({ kind: "left", reason });

/** Over from the start, so that the status can be checked at once. */
const PAST = { sendWithinMs: -60_000, heldForMs: -1 };

const NO_KEY = "Its idempotency key is not known, so a retry of its request would be a new request: tell the merchant.";
const KEY_IN_USE = "Its idempotency key already belongs to another request, and stays with it.";
const NO_SESSION = "Its client session is not in the books, or is closed: do not let the shopper pay it again.";
const NO_CARD = "Its stored card is not in the books: it is booked like a payment with a new card.";
/** Without the invoice, its period may be charged again: to be settled before the service starts. */
export const NO_INVOICE =
  "Its invoice is not in the books, or is paid: refund the payment, or create the subscription again without a first charge.";
const REFUSED =
  "The restored books do not allow it. Compare the payment with the processor, and correct it in the processor's dashboard.";

/** Writes a listed payment, and resolves it. */
export async function adoptPayment(
  service: Service,
  at: Reporter,
  environment: Environment,
  entry: ListedPayment,
): Promise<Adoption> {
  const traced = readTrace(entry.origin.trace);
  const within = { service, environment };
  const found = await findReferences(within, traced, entry);
  const notes = [...found.notes, ...(traced.request ? [] : [NO_KEY])];
  const full = { ...found, key: traced.request?.key ?? madeKey(entry.reference) };
  const bare = { ...full, session: null, invoice: null, method: null };
  const attempts = [
    { parts: full, notes },
    { parts: { ...full, key: madeKey(entry.reference) }, notes: [...notes, KEY_IN_USE] },
    { parts: bare, notes: [...notes, ...lostNotes(full)] },
    { parts: { ...bare, key: madeKey(entry.reference) }, notes: [...notes, ...lostNotes(full), KEY_IN_USE] },
  ];
  try {
    for (const attempt of attempts) {
      const order = paymentOrder(within, at, entry, traced, attempt.parts);
      if (await writePayment(within, at, order, entry.object))
        return { kind: await resolveKnown(service, environment.id, order.id), notes: attempt.notes };
    }
    return left(REFUSED);
  } finally {
    forgetTotals(environment.id);
  }
}

type Within = { readonly service: Service; readonly environment: Environment };

/** Rows that a payment names, if the restored books have them and they still fit. */
type References = {
  readonly session: string | null;
  readonly invoice: InvoiceClaim | null;
  readonly method: { readonly id: string; readonly initiator: "customer" | "merchant" } | null;
};
type Parts = References & { readonly key: string };

const lostNotes = ({ session, invoice, method }: References): string[] => [
  ...(session ? [NO_SESSION] : []),
  ...(invoice ? [NO_INVOICE] : []),
  ...(method ? [NO_CARD] : []),
];

async function findReferences(
  within: Within,
  { terms, initiator }: Traced,
  entry: ListedPayment,
): Promise<References & { readonly notes: readonly string[] }> {
  const { service, environment } = within;
  const { sql, orm } = service.db.within(environment.id);
  const card = terms.method && initiator ? await findPaymentMethod(orm, environment.id, terms.method) : null;
  const method = card && card.removed_at === null && initiator ? { id: card.id, initiator } : null;
  const invoice = terms.invoice ? await claimInvoice(within, terms, entry) : null;
  const session = terms.session ? await findClientSession(sql, environment.id, terms.session) : null;
  const isOpen = session?.status === "OPEN" && session.open_payment_id === null;
  return {
    method,
    invoice,
    session: isOpen ? session.id : null,
    notes: [
      ...(terms.method && initiator && !method ? [NO_CARD] : []),
      ...(terms.invoice && !invoice ? [NO_INVOICE] : []),
      ...(terms.session && !isOpen ? [NO_SESSION] : []),
    ],
  };
}

/** Steps that a subscription may need until it has the invoice. */
const MAX_STEPS = 5;
/** Keys of the engine's own attempts. */
const AUTOMATIC = /^inv_[0-9a-z]{26}:attempt_\d+$/;

/**
 * The claim of the invoice that a payment was for. A renewal's invoice that the restored books lack is created
 * as the engine would, with the id that it had, so that the engine doesn't charge the period again. Null if
 * there is no such open invoice of this amount.
 */
async function claimInvoice(
  within: Within,
  terms: Traced["terms"],
  entry: ListedPayment,
): Promise<InvoiceClaim | null> {
  const { service, environment } = within;
  const { invoice: invoiceId, subscription: subscriptionId } = terms;
  const run = runOn(service.db.within(environment.id).sql);
  if (!invoiceId || !subscriptionId || !(await findSubscription(run, environment.id, subscriptionId))) return null;
  let invoice = await findInvoice(run, environment.id, invoiceId);
  for (let step = 0; !invoice && step < MAX_STEPS; step++) {
    if ((await stepDue(service, environment, subscriptionId, invoiceId)) !== "done") break;
    invoice = await findInvoice(run, environment.id, invoiceId);
  }
  if (invoice?.status !== "OPEN" || invoice.open_payment_id !== null || invoice.subscription_id !== subscriptionId)
    return null;
  if (invoice.amount_due !== entry.amount || invoice.currency !== entry.currency) return null;
  const key = readTrace(entry.origin.trace).request?.key ?? "";
  const automatic = AUTOMATIC.test(key) && invoice.next_attempt_at !== null;
  return { kind: "attempt", invoiceId, subscriptionId, attempts: invoice.attempts, automatic };
}

type PaymentOrder = Extract<Order, { kind: "authorize" }>;

function paymentOrder(
  { service, environment }: Within,
  at: Reporter,
  { reference, amount, currency, origin }: ListedPayment,
  { paymentId, chargeId, customerId, savesCard, request, terms }: Traced,
  { key, session, invoice, method }: Parts,
): PaymentOrder {
  const made = newSnapshot(
    { service, environment },
    {
      planId: terms.plan,
      ...(invoice && { invoice }),
      card: {
        at,
        token: "",
        brand: null,
        bin: null,
        last4: null,
        exp_month: null,
        exp_year: null,
        paymentTokenId: null,
        clientSessionId: session,
        method,
      },
      terms: {
        amount,
        currency,
        customer_id: customerId,
        customer_email: null,
        customer_name: null,
        billing_address: null,
        description: origin.description,
        metadata: origin.metadata,
        return_url: null,
        capture_method: origin.manual ? "manual" : "automatic",
        save_payment_method: savesCard && customerId !== null,
      },
    },
    reference,
  );
  const [charge] = made.transactions;
  if (!charge) throw new Error("a new payment has no charge");
  // The two ids may be a millisecond apart.
  const [createdAt, chargedAt] = [idTime(paymentId), idTime(chargeId)];
  return {
    id: reference,
    environment,
    kind: "authorize",
    detail: null,
    paymentTokenId: null,
    clientSessionId: session,
    invoice,
    claim: claimOf(reference, key, request),
    snapshot: {
      payment: { ...made.payment, id: paymentId, charge_id: chargeId, created_at: createdAt, updated_at: createdAt },
      transactions: [{ ...charge, id: chargeId, payment_id: paymentId, created_at: chargedAt, updated_at: chargedAt }],
    },
  };
}

/** For an operation without a key of its own. No caller's key begins with a space. */
const madeKey = (reference: string) => ` restored ${reference}`;

/** The first use of a key, which from now on lives as long as a new one. */
function claimOf(operationId: string, key: string, request: Traced["request"]): KeyClaim {
  return {
    key,
    digest: request?.digest ?? Buffer.alloc(0),
    body: null,
    endpoint: request?.endpoint ?? "createPayment",
    path: request?.path ?? "/v1/payments",
    requestId: request?.requestId ?? operationId,
    actor: SYSTEM,
    operationId,
    leaseMs: 0,
  };
}

/** Undoes a transaction whose guard refused. */
class Undone extends Error {}

/** T1 with the processor's object. False: a guard refused, or the key is in use. */
async function writePayment(
  { service, environment }: Within,
  { processor }: Reporter,
  order: PaymentOrder,
  object: ProcessorObject,
): Promise<boolean> {
  return inOneCommit(service, environment, async (tx) => {
    const reserved = await insertPayment(tx, order, { lease: PAST, guardedConnectionId: null });
    const held = { environmentId: environment.id, id: order.id, epoch: 1 };
    return reserved.reserved && insertProcessorObject(tx, held, { processor: processor.name, ...object });
  });
}

type Tx = Parameters<typeof insertProcessorObject>[0];

async function inOneCommit(
  service: Service,
  environment: Environment,
  write: (tx: Tx) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await service.db.within(environment.id).sql.begin(async (tx) => {
      if (!(await write(tx))) throw new Undone();
      return true;
    });
  } catch (error) {
    // Also an id that another row has: a trace can be copied in the processor's dashboard.
    if (error instanceof Undone || isStaleOutcome(error)) return false;
    if (!isRefused(error)) throw error;
    service.log.warn({ err: error, environment_id: environment.id }, "the books refused an operation of the processor");
    return false;
  }
}

/** A capture, void or refund that the processor lists. */
export type ListedFollowUp = {
  readonly kind: "capture" | "void" | "refund";
  readonly paymentId: string;
  readonly reference: string;
  /** Minor units. */
  readonly amount: number;
  readonly trace: Trace;
  /** The refund's own object; others have none. */
  readonly object: ProcessorObject | null;
};

/** Writes a listed capture, void or refund, and resolves it. */
export async function adoptFollowUp(
  service: Service,
  at: Reporter,
  environment: Environment,
  { kind, paymentId, reference, amount, trace, object }: ListedFollowUp,
): Promise<Adoption> {
  const traced = readTrace(trace);
  const { request, transactionId, refundReason, detail } = traced;
  const order: Exclude<Order, { kind: "authorize" }> = {
    id: reference,
    environment,
    kind,
    paymentId,
    claim: request && claimOf(reference, request.key, request),
    amount: kind === "void" ? null : amount,
    detail: kind === "void" ? detail : null,
    refund:
      kind === "refund"
        ? { id: transactionId, created_at: idTime(transactionId), reason: refundReason, comment: null }
        : null,
    allowed: true,
    // The money has moved: neither a dispute, the number of refunds nor the end of the hold matters.
    ...(kind !== "void" && { outside: true }),
  };
  const write = (one: typeof order) =>
    inOneCommit(service, environment, async (tx) => {
      const lease = { lease: PAST, guardedConnectionId: null, wholeOnly: false };
      const { reserved } = await reserveFollowUp(tx, one, lease);
      if (!reserved || object === null) return reserved;
      const held = { environmentId: environment.id, id: reference, epoch: 1 };
      return insertProcessorObject(tx, held, { processor: at.processor.name, ...object });
    });
  try {
    if (await write(order))
      return { kind: await resolveKnown(service, environment.id, reference), notes: request ? [] : [NO_KEY] };
    if (request && (await write({ ...order, claim: null })))
      return { kind: await resolveKnown(service, environment.id, reference), notes: [KEY_IN_USE] };
    return left(REFUSED);
  } finally {
    forgetTotals(environment.id);
  }
}

/**
 * Checks the status of an open operation that the processor lists, and books its outcome as recovery does.
 * `object`: the processor's, whose id the books may not have yet.
 */
export async function resolveKnown(
  service: Service,
  environmentId: string,
  id: string,
  object: (ProcessorObject & { readonly processor: string }) | null = null,
): Promise<"settled" | "open"> {
  const { sql } = service.db.within(environmentId);
  const taken = await takeOperation(sql, environmentId, id, leaseOf(service.processorTimeoutMs));
  if (!taken) return "open";
  if (object) await insertProcessorObject(sql, { environmentId, id, epoch: taken.epoch }, object);
  // Counts as accepted, so its status is checked before anything is sent, and it is never closed as unknown.
  const accepted = { ...taken, accepted_at: taken.accepted_at ?? taken.created_at };
  return (await resolveOperation(service, accepted)).kind === "finished" ? "settled" : "open";
}
