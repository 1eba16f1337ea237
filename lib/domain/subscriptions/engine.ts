import { clockSettingOf } from "@/db/queries/clock";
import { releaseKey } from "@/db/queries/idempotency/keys";
import { findPaymentMethod } from "@/db/queries/payment-methods";
import type { Order } from "@/db/queries/payments/intents";
import type { InvoiceClaim } from "@/db/queries/subscriptions/claims";
import {
  type Due,
  type DuePage,
  listDueInvoices,
  listDueSubscriptions,
  postpone,
} from "@/db/queries/subscriptions/due";
import {
  findInvoice,
  findSubscription,
  forgetTrials,
  lockDueSubscription,
  lockInvoice,
  lockOpenInvoices,
  lockSubscription,
  runOn,
} from "@/db/queries/subscriptions/rows";
import { SYSTEM } from "@/db/schema/operations";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { type Context, type Environment, environmentNow, newEnvironmentId, type Service } from "../context";
import { execute } from "../payments/execute";
import { newSnapshot } from "../payments/make-payment";
import { leaseOf } from "../payments/operation";
import { advance } from "./advance";
import { cannotBeTried } from "./apply-payment";
import { cardToCharge, paymentOf } from "./charge";
import { beginRefunds } from "./refunds";
import { writeMove } from "./write-move";

/** Max due items per poll, in total and per environment, so that no environment delays the others. */
const PAGE_SIZE = 200;
const MAX_PER_ENVIRONMENT = 40;
/** Max concurrent renewals of a process; the rest of the connection pool is for requests. */
const MAX_TRIES = 8;
/** Delay until a subscription that must wait for a payment is checked again. */
const LATER_MS = 60_000;

const SYSTEM_BY = { actor: SYSTEM, requestId: null } as const;

/**
 * The billing engine: begins due periods and charges due invoices. Every instance runs it every second; rows
 * are locked or claimed one by one, so that no invoice is created or charged twice. Returns the number of
 * items done.
 */
export async function runSubscriptions(
  service: Service,
  stopping?: AbortSignal,
  only: string | null = null,
): Promise<number> {
  const { sql } = service.db;
  const page: DuePage = { only, perEnvironment: MAX_PER_ENVIRONMENT, limit: PAGE_SIZE };
  const advanced = await eachDue(service, page, await listDueSubscriptions(sql, page), advanceDue, stopping);
  const tried = await eachDue(service, page, await listDueInvoices(sql, page), tryDue, stopping);
  return advanced + tried;
}

const isoNow = (service: Service, environment: Environment): string =>
  environmentNow({ service, environment }).toISOString();

/**
 * Does due work, at most `MAX_TRIES` at once. What fails is logged and postponed, so that it delays nothing
 * else. For a single environment it throws the first failure, after the rest is done.
 */
async function eachDue(
  service: Service,
  { only }: DuePage,
  dues: readonly Due[],
  work: (service: Service, environment: Environment, id: string) => Promise<boolean>,
  stopping: AbortSignal | undefined,
): Promise<number> {
  const queue = dues[Symbol.iterator]();
  const failures: unknown[] = [];
  let done = 0;
  const worker = async () => {
    for (const due of queue) {
      if (stopping?.aborted) return;
      const environment: Environment = {
        ...{ id: due.environment_id, mode: due.mode, merchantId: due.merchant_id },
        clock: clockSettingOf(due),
      };
      let isDone = false;
      try {
        isDone = await work(service, environment, due.id);
        if (isDone) done++;
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        failures.push(error);
        service.log.error({ err: error, due: due.id }, "a subscription or invoice failed and is tried again");
      }
      // Otherwise it would stay the first of every page. An advancing clock passes it by.
      if (!isDone && only === null) {
        await postpone(service.db.within(environment.id).sql, { ...due, delayMs: LATER_MS });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_TRIES, dues.length) }, worker));
  if (only !== null && failures.length > 0) throw failures[0];
  return done;
}

/** Advances a due subscription by one step. False: it waits for a payment. */
async function advanceDue(service: Service, environment: Environment, id: string): Promise<boolean> {
  const { sql } = service.db.within(environment.id);
  const due = await sql.begin(async (tx) => {
    const run = runOn(tx);
    const now = isoNow(service, environment);
    const row = await lockDueSubscription(run, environment.id, id, now);
    // Another process advances it.
    if (!row) return "done";
    if (row.refund_due > 0) return "refund";
    const open = await lockOpenInvoices(run, environment.id, id);
    const move = advance(row, open, { now, invoiceId: newEnvironmentId({ service, environment }) });
    if (move === null) return "none";
    await writeMove(run, environment, { locked: { subscription: row, invoices: open }, move, by: SYSTEM_BY, now });
    if (move.subscription.status === "EXPIRED") await forgetTrials(run, environment.id, id);
    return "done";
  });
  if (due === "refund") await beginRefunds(service, environment, id);
  return due !== "none";
}

/** Charges an invoice whose attempt is due. False: it changed in the meantime. */
async function tryDue(service: Service, environment: Environment, id: string): Promise<boolean> {
  const { sql, orm } = service.db.within(environment.id);
  const run = runOn(sql);
  const invoice = await findInvoice(run, environment.id, id);
  if (invoice?.status !== "OPEN" || invoice.open_payment_id !== null || invoice.next_attempt_at === null) return false;
  // Another process has just tried it and planned the next attempt.
  if (invoice.next_attempt_at > isoNow(service, environment)) return false;
  const subscription = await findSubscription(run, environment.id, invoice.subscription_id);
  if (!subscription) throw new Error(`invoice ${id} has no subscription`);
  const method = await findPaymentMethod(orm, environment.id, subscription.payment_method_id);
  if (!method || method.removed_at !== null) {
    await waitForCard(service, environment, subscription, invoice);
    return true;
  }
  const key = `${encodeId("invoice", id)}:attempt_${invoice.attempts + 1}`;
  const ctx = contextOf(service, environment, key, `/v1/invoices/${encodeId("invoice", id)}/pay`);
  const card = await cardToCharge(ctx, method);
  const claim: InvoiceClaim = {
    ...{ kind: "try", invoiceId: id, subscriptionId: subscription.id },
    ...{ attempts: invoice.attempts, automatic: true },
  };
  const operationId = newId();
  const snapshot = newSnapshot(ctx, { ...paymentOf(subscription, invoice), card, invoice: claim }, operationId);
  const { heldForMs } = leaseOf(service.processorTimeoutMs);
  const { endpoint, path, id: requestId } = ctx.request;
  const order: Order = {
    ...{ id: operationId, environment, kind: "authorize", detail: null, snapshot, invoice: claim },
    ...{ paymentTokenId: null, clientSessionId: null },
    claim: {
      ...{ key, digest: sha256(key), body: null, endpoint, path, requestId, actor: SYSTEM },
      ...{ operationId, leaseMs: heldForMs },
    },
  };
  const executed = await execute(service, order, { at: card.at, token: card.token });
  if (executed.kind !== "unclaimed" && executed.kind !== "refused") return true;
  if (executed.kind === "refused") await releaseKey(sql, environment.id, key, requestId);
  return false;
}

/** Unschedules attempts on an invoice whose card was removed, until the subscription has another card. */
async function waitForCard(
  service: Service,
  environment: Environment,
  { id: subscriptionId, payment_method_id: methodId }: SubscriptionRow,
  { id: invoiceId }: InvoiceRow,
): Promise<void> {
  await service.db.within(environment.id).sql.begin(async (tx) => {
    const run = runOn(tx);
    const subscription = await lockSubscription(run, environment.id, subscriptionId);
    const invoice = await lockInvoice(run, environment.id, invoiceId);
    const isStill = subscription?.payment_method_id === methodId && invoice?.status === "OPEN";
    if (!isStill || !subscription || !invoice || invoice.open_payment_id !== null) return;
    const now = isoNow(service, environment);
    const move = cannotBeTried({ subscription, invoice, others: [] }, now);
    await writeMove(run, environment, {
      locked: { subscription, invoices: [invoice] },
      ...{ move, by: SYSTEM_BY, now },
    });
  });
}

/** Context of an automatic attempt, with an idempotency key of its own. */
function contextOf(service: Service, environment: Environment, key: string, path: string): Context {
  return {
    ...{ service, environment, actor: SYSTEM },
    request: { id: newId(), endpoint: "payInvoice", path },
    idempotency: { key, digest: async () => sha256(key), isSame: async () => false, body: null },
    reauthorize: async () => {},
  };
}
