import { clockSettingOf } from "@/db/queries/clock";
import { releaseKey } from "@/db/queries/idempotency/keys";
import { findPaymentMethod } from "@/db/queries/payment-methods";
import type { Order } from "@/db/queries/payments/intents";
import type { InvoiceClaim } from "@/db/queries/subscriptions/claims";
import { type Due, listDueInvoices, listDueSubscriptions, postpone } from "@/db/queries/subscriptions/due";
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
import { Semaphore } from "@/lib/semaphore";
import { type Context, type Environment, environmentNow, newEnvironmentId, type Service } from "../context";
import { execute } from "../payments/execute";
import { newSnapshot } from "../payments/make-payment";
import { leaseOf } from "../payments/operation";
import { advance } from "./advance";
import { unscheduleAttempts } from "./apply-payment";
import { cardToCharge, paymentOf } from "./charge";
import { beginRefunds } from "./refunds";
import { writeMove } from "./write-move";

/** Max due items per poll, in total and per environment. */
const PAGE_SIZE = 200;
const MAX_PER_ENVIRONMENT = 40;
/** Max concurrent renewals of a process; the rest of the connection pool is for requests. */
const SLOTS = 8;
/** Max concurrent renewals of one environment, so that a slow processor delays no other merchant. */
const SLOTS_PER_ENVIRONMENT = 2;
/** Interval at which more is started while slow processors hold slots. */
const POLL_MS = 1_000;
/** Delay until a subscription that must wait for a payment is checked again. */
const LATER_MS = 60_000;

const SYSTEM_BY = { actor: SYSTEM, requestId: null } as const;

/** Does what is due for a subscription or invoice. False: nothing could be done now. */
type Work = (service: Service, environment: Environment, id: string) => Promise<boolean>;

/**
 * The billing engine: begins due periods and charges due invoices until nothing is due. Every instance runs
 * it every second; rows are locked or claimed one by one, so that no invoice is created or charged twice. For
 * a single environment, `only`, it does what is due once, and throws the first failure after the rest is
 * done. Returns the number of items done.
 */
export async function runSubscriptions(
  service: Service,
  stopping?: AbortSignal,
  only: string | null = null,
): Promise<number> {
  const { sql } = service.db;
  const run = new EngineRun(service, only, stopping);
  if (only !== null) {
    const page = { only, busy: [], perEnvironment: MAX_PER_ENVIRONMENT, limit: PAGE_SIZE };
    run.start(await listDueSubscriptions(sql, page), advanceDue);
    await run.end();
    run.start(await listDueInvoices(sql, page), chargeDue);
    return run.end();
  }
  for (let started = 1; (started > 0 || !run.isIdle) && !run.isStopping; ) {
    const page = { only, busy: run.busy(), perEnvironment: MAX_PER_ENVIRONMENT, limit: PAGE_SIZE };
    started = run.start(await listDueSubscriptions(sql, page), advanceDue);
    started += run.start(await listDueInvoices(sql, page), chargeDue);
    await run.progress();
  }
  return run.end();
}

const isoNow = (service: Service, environment: Environment): string =>
  environmentNow({ service, environment }).toISOString();

/** Due work in progress. What fails is logged and postponed, so that it delays nothing else. */
class EngineRun {
  readonly #service: Service;
  readonly #only: string | null;
  readonly #stopping: AbortSignal | undefined;
  readonly #slots: Semaphore;
  readonly #running = new Map<string, { readonly environmentId: string; readonly ended: Promise<void> }>();
  #done = 0;
  /** The first failure of an item. */
  #failure: { readonly error: unknown } | null = null;
  /** Nothing more is started, because the database is unavailable. */
  #fatal: { readonly error: unknown } | null = null;

  constructor(service: Service, only: string | null, stopping: AbortSignal | undefined) {
    this.#service = service;
    this.#only = only;
    this.#stopping = stopping;
    this.#slots = new Semaphore({ slots: SLOTS, perKey: only === null ? SLOTS_PER_ENVIRONMENT : SLOTS });
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  get isStopping(): boolean {
    return this.#fatal !== null || this.#stopping?.aborted === true;
  }

  /** Environments that use their slots. */
  busy(): string[] {
    const counts = new Map<string, number>();
    for (const { environmentId: id } of this.#running.values()) counts.set(id, (counts.get(id) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= SLOTS_PER_ENVIRONMENT).map(([id]) => id);
  }

  /** Starts what is not in progress, and returns how much that is. */
  start(dues: readonly Due[], work: Work): number {
    const others = dues.filter(({ id }) => !this.#running.has(id));
    for (const due of others) {
      const ended = this.#slots
        .run(() => this.#handle(due, work), due.environment_id)
        .finally(() => this.#running.delete(due.id));
      this.#running.set(due.id, { environmentId: due.environment_id, ended });
    }
    return others.length;
  }

  /** Resolves when everything that was started has ended, or after `POLL_MS`. */
  async progress(): Promise<void> {
    const all = this.#ended();
    await new Promise<void>((resolve) => {
      const endTimer = this.#service.timer.after(POLL_MS, resolve);
      void all.then(() => {
        endTimer();
        resolve();
      });
    });
  }

  /** Waits for everything that was started. Returns the number of items done. */
  async end(): Promise<number> {
    await this.#ended();
    if (this.#fatal) throw this.#fatal.error;
    if (this.#failure && this.#only !== null) throw this.#failure.error;
    return this.#done;
  }

  #ended(): Promise<unknown> {
    return Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async #handle(due: Due, work: Work): Promise<void> {
    if (this.isStopping) return;
    const service = this.#service;
    const environment: Environment = {
      id: due.environment_id,
      mode: due.mode,
      merchantId: due.merchant_id,
      clock: clockSettingOf(due),
    };
    try {
      const isDone = await work(service, environment, due.id).catch((error: unknown) => {
        if (isDatabaseUnavailable(error)) throw error;
        this.#failure ??= { error };
        service.log.error({ err: error, due: due.id }, "work on a subscription or invoice failed and will be retried");
        return false;
      });
      if (isDone) this.#done++;
      // Otherwise it would stay the first of every page. An advancing clock passes it by.
      else if (this.#only === null) {
        await postpone(service.db.within(environment.id).sql, { ...due, delayMs: LATER_MS });
      }
    } catch (error) {
      this.#fatal ??= { error };
    }
  }
}

/** Advances a due subscription by one step. False: it waits for a payment, or a refund for its processor. */
async function advanceDue(service: Service, environment: Environment, id: string): Promise<boolean> {
  const due = await stepDue(service, environment, id, newEnvironmentId({ service, environment }));
  if (due === "refund") return beginRefunds(service, environment, id);
  return due !== "none";
}

/**
 * One step of a due subscription. `invoiceId`: UUID for the invoice that it may create. `refund`: refunds are
 * due first. `none`: it waits for a payment.
 */
export function stepDue(
  service: Service,
  environment: Environment,
  id: string,
  invoiceId: string,
): Promise<"done" | "refund" | "none"> {
  const { sql } = service.db.within(environment.id);
  return sql.begin(async (tx) => {
    const run = runOn(tx);
    const now = isoNow(service, environment);
    const row = await lockDueSubscription(run, environment.id, id, now);
    // Another process advances it.
    if (!row) return "done";
    if (row.refund_due > 0) return "refund";
    const open = await lockOpenInvoices(run, environment.id, id);
    const move = advance(row, open, { now, invoiceId });
    if (move === null) return "none";
    await writeMove(
      run,
      { service, environment },
      { locked: { subscription: row, invoices: open }, move, by: SYSTEM_BY, now },
    );
    if (move.subscription.status === "EXPIRED") await forgetTrials(run, environment.id, id);
    return "done";
  });
}

/** Charges an invoice whose attempt is due. False: it changed in the meantime. */
async function chargeDue(service: Service, environment: Environment, id: string): Promise<boolean> {
  const { sql, orm } = service.db.within(environment.id);
  const run = runOn(sql);
  const invoice = await findInvoice(run, environment.id, id);
  if (invoice?.status !== "OPEN" || invoice.open_payment_id !== null || invoice.next_attempt_at === null) return false;
  // Another process has just charged it and planned the next attempt.
  if (invoice.next_attempt_at > isoNow(service, environment)) return false;
  const subscription = await findSubscription(run, environment.id, invoice.subscription_id);
  if (!subscription) throw new Error(`invoice ${id} has no subscription`);
  const { payment_method_id: methodId } = subscription;
  const method = methodId && (await findPaymentMethod(orm, environment.id, methodId));
  const isRemoved = !method || method.removed_at !== null;
  if (isRemoved || subscription.card_refused) {
    await waitForCard(service, environment, subscription, invoice, isRemoved);
    return true;
  }
  const key = `${encodeId("invoice", id)}:attempt_${invoice.attempts + 1}`;
  const ctx = contextOf(service, environment, key, `/v1/invoices/${encodeId("invoice", id)}/pay`);
  const card = await cardToCharge(ctx, method);
  const claim: InvoiceClaim = {
    kind: "attempt",
    invoiceId: id,
    subscriptionId: subscription.id,
    attempts: invoice.attempts,
    automatic: true,
  };
  const operationId = newId();
  const payment = await paymentOf(ctx, subscription, invoice);
  const snapshot = newSnapshot(ctx, { ...payment, card, invoice: claim }, operationId);
  const { heldForMs } = leaseOf(service.processorTimeoutMs);
  const { endpoint, path, id: requestId } = ctx.request;
  const order: Order = {
    id: operationId,
    environment,
    kind: "authorize",
    detail: null,
    snapshot,
    invoice: claim,
    paymentTokenId: null,
    clientSessionId: null,
    claim: {
      key,
      digest: sha256(key),
      body: null,
      endpoint,
      path,
      requestId,
      actor: SYSTEM,
      operationId,
      leaseMs: heldForMs,
    },
  };
  const executed = await execute(service, order, { at: card.at, token: card.token });
  if (executed.kind !== "unclaimed" && executed.kind !== "refused") return true;
  if (executed.kind === "refused") await releaseKey(sql, environment.id, key, requestId);
  return false;
}

/**
 * Unschedules attempts on an invoice whose card was removed or refused, until the subscription has another
 * card.
 */
async function waitForCard(
  service: Service,
  environment: Environment,
  { id: subscriptionId, payment_method_id: methodId }: SubscriptionRow,
  { id: invoiceId }: InvoiceRow,
  isRemoved: boolean,
): Promise<void> {
  await service.db.within(environment.id).sql.begin(async (tx) => {
    const run = runOn(tx);
    const subscription = await lockSubscription(run, environment.id, subscriptionId);
    const invoice = await lockInvoice(run, environment.id, invoiceId);
    const isStill =
      subscription?.payment_method_id === methodId &&
      (isRemoved || subscription.card_refused) &&
      invoice?.status === "OPEN";
    if (!isStill || !subscription || !invoice || invoice.open_payment_id !== null) return;
    const now = isoNow(service, environment);
    const move = unscheduleAttempts({ subscription, invoice, others: [] }, now);
    await writeMove(
      run,
      { service, environment },
      { locked: { subscription, invoices: [invoice] }, move, by: SYSTEM_BY, now },
    );
  });
}

/** Context of an automatic attempt, with an idempotency key of its own. */
function contextOf(service: Service, environment: Environment, key: string, path: string): Context {
  return {
    service,
    environment,
    actor: SYSTEM,
    request: { id: newId(), endpoint: "payInvoice", path },
    idempotency: { key, digest: async () => sha256(key), isSame: async () => false, body: null },
    reauthorize: async () => {},
  };
}
