import { HISTORY_TABLES, type History, hasPayments, insertHistory } from "@/db/queries/demo-history";
import { insertPlan, listPlans } from "@/db/queries/plans";
import { TEST_BANK_ACCOUNT } from "@/lib/contract/settlement/payout";
import type { Service } from "@/lib/domain/context";
import { forgetTotals } from "@/lib/domain/lists";
import { idAt } from "@/lib/ids";
import { type PastEvent, type PastPayment, rowOfBatchEvent, rowsOfEvents } from "./events";
import { type PastOrder, pastOrders } from "./orders";
import { DEMO_PLANS } from "./shop";

const DAYS = 60;
const ORDERS_PER_DAY = 20;
const FEE_BASIS_POINTS = 290;
const DAY_MS = 86_400_000;
const SYSTEM = { type: "system", id: null };

/**
 * Two months of the demo shop, in every book as the money path would have left it (`npm run verify` finds nothing), so that
 * there is something to find, compare and refund. Returns how many payments; none for a shop that has some.
 */
export async function seedDemoHistory(service: Service, environmentId: string): Promise<number> {
  if (await hasPayments(service.db.within(environmentId).sql, environmentId)) return 0;
  const orders = pastOrders(service.clock.now(), DAYS, ORDERS_PER_DAY);
  const [first] = orders;
  if (!first) return 0;
  const plans = await insertPlans(service, environmentId, first.atMs - DAY_MS);
  const books = new Books(environmentId, plans, service.clock.now().getTime());
  for (const order of orders) books.take(order);
  books.settle();
  books.tell();
  const isWritten = await insertHistory(service.db.long, environmentId, {
    history: books.history,
    since: iso(first.atMs),
    feeBasisPoints: FEE_BASIS_POINTS,
  });
  forgetTotals(environmentId);
  return isWritten ? orders.length : 0;
}

/** The shop's plans, made before its first order unless they are there; returns their ids. */
async function insertPlans(
  service: Service,
  environmentId: string,
  atMs: number,
): Promise<ReadonlyMap<string, string>> {
  const { orm } = service.db.within(environmentId);
  const rows = DEMO_PLANS.map(({ price, trialDays, ...plan }) => ({
    ...{ ...plan, id: idAtMs(atMs), currency: "USD", full_price: price, trial_price: null },
    ...{ status: "ACTIVE" as const, created_at: iso(atMs), updated_at: iso(atMs) },
    billing_frequency_value: plan.type === "ONE_TIME" ? null : 1,
    billing_frequency_unit: plan.type === "ONE_TIME" ? null : ("MONTHS" as const),
    trial_period_value: trialDays ?? null,
    trial_period_unit: trialDays ? ("DAYS" as const) : null,
  }));
  for (const row of rows) await insertPlan(orm, environmentId, row);
  const page = { limit: 100, offset: 0, after: null };
  return new Map((await listPlans(orm, environmentId, {}, page)).map(({ id, name }) => [name, id]));
}

const iso = (ms: number) => new Date(ms).toISOString();
const idAtMs = (ms: number) => idAt(new Date(ms));

type Row = Record<string, unknown>;
type Step = {
  id: string;
  kind: "authorize" | "capture" | "void" | "refund";
  atMs: number;
  amount: number;
  event: PastEvent["type"];
  state?: string;
};
type Paid = PastPayment & { currency: string };

class Books {
  readonly history = Object.fromEntries(HISTORY_TABLES.map((table) => [table, [] as Row[]])) as History;
  readonly #environmentId: string;
  readonly #nowMs: number;
  readonly #paid = new Map<unknown, Paid>();
  readonly #events: PastEvent[] = [];
  readonly #plans: ReadonlyMap<string, string>;
  /** By currency: settled and not yet paid out. */
  readonly #available = new Map<string, { batches: Row[]; net: number }>();
  #last = 0;

  /** `plans`: ids by name. */
  constructor(environmentId: string, plans: ReadonlyMap<string, string>, nowMs: number) {
    this.#environmentId = environmentId;
    this.#plans = plans;
    this.#nowMs = nowMs;
  }

  take(order: PastOrder): void {
    // At most one order per second: ids made in the same millisecond have no order.
    const atMs = Math.max(order.atMs, this.#last + 1_000);
    this.#last = atMs;
    const ids = { payment: idAtMs(atMs), charge: idAtMs(atMs), authorize: idAtMs(atMs) };
    const { fate } = order;
    const status = statusOf(order);
    const captured = fate.kind === "captured" || fate.kind === "refunded" ? order.amount : 0;
    const refunded = fate.kind === "refunded" ? fate.amount : 0;
    const paid = this.#payment(order, atMs, ids, { status, captured, refunded });
    const authorize: Step = {
      ...{ id: ids.authorize, kind: "authorize", atMs, amount: order.amount },
      event: fate.kind === "declined" ? "payment.declined" : captured > 0 ? "payment.captured" : "payment.authorized",
      state: fate.kind === "declined" ? "declined" : "succeeded",
    };
    this.#operation(paid, authorize, String(ids.charge));
    this.#processorCharge(order, atMs, ids.authorize, { captured, refunded });
    if (captured > 0) this.#capture(paid, authorize);
    if (fate.kind === "voided")
      this.#followUp(paid, ids, {
        kind: "void",
        atMs: atMs + fate.afterMs,
        amount: order.amount,
        event: "payment.voided",
      });
    if (fate.kind === "refunded") this.#refund(order, paid, ids, atMs + fate.afterMs, fate);
  }

  /** Each night everything captured by then goes into one batch per currency; the last day is left for the job. */
  settle(): void {
    const batches = new Map<string, { charges: Row[]; refunds: Row[]; currency: string; atMs: number }>();
    for (const row of this.history.transactions) {
      if (row.captured_at === null) continue;
      const atMs = (Math.floor(Date.parse(String(row.captured_at)) / DAY_MS) + 1) * DAY_MS + 3_600_000;
      if (atMs > this.#nowMs - DAY_MS) continue;
      const name = `${atMs} ${row.currency}`;
      const batch = batches.get(name) ?? { charges: [], refunds: [], currency: String(row.currency), atMs };
      (row.type === "CHARGE" ? batch.charges : batch.refunds).push(row);
      batches.set(name, batch);
    }
    for (const { charges, refunds, currency, atMs } of batches.values()) this.#batch(charges, refunds, currency, atMs);
  }

  /** Each event with its object as it was then, which takes knowing what came later. */
  tell(): void {
    this.history.events.push(...rowsOfEvents(this.#environmentId, this.#events));
  }

  #payment(
    order: PastOrder,
    atMs: number,
    ids: { payment: string; charge: string; authorize: string },
    now: { status: string; captured: number; refunded: number },
  ): Paid {
    const at = iso(atMs);
    const { fate, currency } = order;
    const endedAt = iso(atMs + ("afterMs" in fate ? fate.afterMs : 0) + 300);
    const customer = order.customer.toLowerCase().replace(" ", ".");
    const payment: Row = {
      ...{
        environment_id: this.#environmentId,
        id: ids.payment,
        charge_id: ids.charge,
        authorization_id: ids.authorize,
      },
      ...{ status: now.status, currency, amount: order.amount, customer_id: `customer-${customer}` },
      ...{ capture_method: fate.kind === "voided" ? "manual" : "automatic", amount_captured: now.captured },
      ...{
        amount_refunded: now.refunded,
        refund_pending: 0,
        version: 2,
        event_sequence: 0,
        created_at: at,
        updated_at: endedAt,
      },
    };
    const charge: Row = {
      ...this.#transaction(order, atMs, ids.payment, ids.charge),
      ...{ type: "CHARGE", status: now.status, amount: order.amount, fraud_score: order.fraudScore },
      ...{
        avs_result: order.address ? "Y" : "U",
        cvv_result: fate.kind === "declined" && fate.code === "incorrect_cvv" ? "N" : "M",
      },
      decline_code: fate.kind === "declined" ? fate.code : null,
      ...{ refund_of: null, refund_reason: null, void_reason: fate.kind === "voided" ? "Out of stock" : null },
      authorized_at: fate.kind === "declined" ? null : iso(atMs + 300),
      captured_at: now.captured > 0 ? iso(atMs + 300) : null,
      voided_at: fate.kind === "voided" ? endedAt : null,
      refunded_at: fate.kind === "refunded" ? endedAt : null,
      updated_at: endedAt,
    };
    this.history.payments.push(payment);
    this.history.transactions.push(charge);
    const paid = { payment, charge, refunds: [], currency };
    this.#paid.set(ids.charge, paid);
    return paid;
  }

  /** What a charge and its refund have in common. */
  #transaction(order: PastOrder, atMs: number, paymentId: string, id: string): Row {
    const [first = "", last = ""] = order.customer.toLowerCase().split(" ");
    return {
      ...{ environment_id: this.#environmentId, id, payment_id: paymentId, currency: order.currency },
      ...{ customer_id: `customer-${first}.${last}`, customer_name: order.customer },
      ...{ customer_email: `${first}.${last}@shopper.example`, card_brand: order.brand, card_last4: order.last4 },
      ...expiryOf(order, atMs),
      ...{ card_bin: order.bin, description: order.description, metadata: {}, created_at: iso(atMs) },
      ...{ billing_address: order.address, plan_id: order.plan === null ? null : this.#plans.get(order.plan) },
      ...{ settled_at: null, settlement_batch_id: null, event_sequence: 0 },
    };
  }

  #capture(paid: Paid, step: Step): void {
    const { amount } = step;
    this.#line(paid, step, 1, "processor_receivable", "merchant_payable", amount);
    const fee = feeOn(amount);
    if (fee > 0) this.#line(paid, step, 2, "merchant_payable", "fees", fee);
  }

  #followUp(paid: Paid, ids: { charge: string; authorize: string }, step: Omit<Step, "id">): Step {
    const made = { ...step, id: idAtMs(step.atMs) };
    this.#operation(paid, made, ids.charge);
    this.#processorOperation(paid, made, ids.authorize);
    return made;
  }

  #refund(
    order: PastOrder,
    paid: Paid,
    ids: { payment: string; charge: string; authorize: string },
    atMs: number,
    fate: { amount: number; reason: string },
  ): void {
    const refundId = idAtMs(atMs);
    const at = iso(atMs + 300);
    const refund: Row = {
      ...this.#transaction(order, atMs, ids.payment, refundId),
      ...{
        type: "REFUND",
        status: "CAPTURED",
        amount: fate.amount,
        fraud_score: null,
        avs_result: null,
        cvv_result: null,
      },
      ...{
        decline_code: null,
        refund_of: ids.charge,
        refund_reason: fate.reason,
        void_reason: null,
        authorized_at: null,
      },
      ...{ captured_at: at, voided_at: null, refunded_at: null, updated_at: at },
    };
    this.history.transactions.push(refund);
    paid.refunds.push(refund);
    const step: Step = { id: idAtMs(atMs), kind: "refund", atMs, amount: fate.amount, event: "refund.succeeded" };
    this.#operation(paid, step, refundId, refund);
    this.#processorOperation(paid, step, ids.authorize);
    this.#line(paid, step, 1, "merchant_payable", "processor_receivable", fate.amount);
  }

  #operation(paid: Paid, step: Step, transactionId: string, refund?: Row): void {
    const { environment_id, id: payment_id, currency } = paid.payment;
    const at = iso(step.atMs);
    const doneAt = iso(step.atMs + 300);
    const state = step.state ?? "succeeded";
    this.history.operations.push({
      ...{ environment_id, id: step.id, payment_id, transaction_id: transactionId, kind: step.kind, state },
      ...{ amount: step.amount, currency, actor: SYSTEM, epoch: 1, attempts: 1, lease_until: doneAt },
      ...{ send_until: doneAt, next_attempt_at: doneAt, last_answer: state, created_at: at, completed_at: doneAt },
      captured: step.event === "payment.captured",
      fee_basis_points: step.event === "payment.captured" ? FEE_BASIS_POINTS : null,
    });
    const event = { type: step.event, at: doneAt, operationId: step.id, of: paid };
    this.#events.push((refund ? { ...event, refund } : event) as PastEvent);
    this.#audit(`payment.${step.kind}`, String(payment_id), doneAt);
  }

  #audit(action: string, objectId: string, at: string): void {
    this.history.audit_log.push({
      ...{ environment_id: this.#environmentId, id: idAtMs(Date.parse(at)), actor: SYSTEM, action },
      ...{ object_id: objectId, created_at: at },
    });
  }

  #line(
    paid: Paid | null,
    step: Pick<Step, "id" | "atMs">,
    line: number,
    debit: string,
    credit: string,
    amount: number,
    currency = paid?.currency,
  ): void {
    this.history.ledger_entries.push({
      ...{ environment_id: this.#environmentId, operation_id: step.id, line, payment_id: paid?.payment.id ?? null },
      ...{ debit_account: debit, credit_account: credit, amount, currency, created_at: iso(step.atMs + 300) },
    });
  }

  #processorCharge(
    order: PastOrder,
    atMs: number,
    reference: string,
    now: { captured: number; refunded: number },
  ): void {
    const { fate } = order;
    this.history["sandbox_processor.charges"].push({
      ...{
        reference,
        account: this.#environmentId,
        behaviour: fate.kind === "declined" ? `decline:${fate.code}` : "approve",
      },
      outcome: fate.kind === "declined" ? "declined" : "approved",
      decline_code: fate.kind === "declined" ? fate.code : null,
      ...{ amount: order.amount, currency: order.currency, capture_at_once: fate.kind !== "voided" },
      ...{ amount_captured: now.captured, amount_refunded: now.refunded, voided: fate.kind === "voided" },
      ...{
        avs_result: order.address ? "Y" : "U",
        cvv_result: "M",
        card_attempts: 0,
        email_attempts: 0,
        address_attempts: 0,
      },
      created_at: iso(atMs),
    });
  }

  #processorOperation(paid: Paid, step: Step, charge: string): void {
    this.history["sandbox_processor.operations"].push({
      ...{ reference: step.id, account: this.#environmentId, kind: step.kind, charge, amount: step.amount },
      ...{ currency: paid.currency, outcome: "approved", created_at: iso(step.atMs) },
    });
  }

  #batch(charges: Row[], refunds: Row[], currency: string, atMs: number): void {
    const id = idAtMs(atMs);
    const at = iso(atMs);
    const sum = (rows: Row[]) => rows.reduce((total, row) => total + Number(row.amount), 0);
    for (const row of [...charges, ...refunds]) {
      Object.assign(row, {
        settled_at: at,
        settlement_batch_id: id,
        updated_at: laterOf(row.updated_at, at),
        ...(row.status === "CAPTURED" && { status: "SETTLED" }),
      });
      const payment = this.#paid.get(row.refund_of ?? row.id)?.payment;
      if (payment) payment.updated_at = laterOf(payment.updated_at, at);
    }
    for (const refund of refunds) {
      const of = this.#paid.get(refund.refund_of);
      if (of) this.#events.push({ type: "transaction.settled", at, operationId: id, of, refund });
    }
    for (const row of charges) {
      const of = this.#paid.get(row.id);
      if (!of) continue;
      if (of.payment.status === "CAPTURED") of.payment.status = "SETTLED";
      this.#events.push({ type: "payment.settled", at, operationId: id, of });
    }
    const net = sum(charges) - sum(refunds) - charges.reduce((total, row) => total + feeOn(Number(row.amount)), 0);
    const step = { id, atMs };
    const batch: Row = {
      ...{
        environment_id: this.#environmentId,
        id,
        currency,
        payout_id: null,
        charge_count: charges.length,
        charge_amount: sum(charges),
      },
      ...{
        refund_count: refunds.length,
        refund_amount: sum(refunds),
        reversal_count: 0,
        reversal_amount: 0,
        created_at: at,
      },
    };
    this.history.settlement_batches.push(batch);
    this.history.events.push(rowOfBatchEvent(batch, net));
    if (charges.length > 0) this.#line(null, step, 1, "bank", "processor_receivable", sum(charges), currency);
    if (refunds.length > 0) this.#line(null, step, 2, "processor_receivable", "bank", sum(refunds), currency);
    if (net > 0) this.#line(null, step, 4, "merchant_payable", "merchant_available", net, currency);
    if (net < 0) this.#line(null, step, 4, "merchant_available", "merchant_payable", -net, currency);
    this.#audit("settlement_batch.create", id, at);
    const available = this.#available.get(currency) ?? { batches: [], net: 0 };
    this.#available.set(currency, { batches: [...available.batches, batch], net: available.net + net });
    this.#payout(atMs, currency);
  }

  /** Pays out what is available, a day later: more was refunded than sold where that is nothing, and the latest are the job's. */
  #payout(batchMs: number, currency: string): void {
    const { batches, net: amount } = this.#available.get(currency) ?? { batches: [], net: 0 };
    const madeMs = batchMs + 60_000;
    const paidMs = madeMs + DAY_MS;
    if (amount <= 0 || paidMs > this.#nowMs) return;
    this.#available.delete(currency);
    const id = idAtMs(madeMs);
    for (const batch of batches) batch.payout_id = id;
    const { bank_name, country, last4 } = TEST_BANK_ACCOUNT;
    this.history.payouts.push({
      ...{
        environment_id: this.#environmentId,
        id,
        status: "PAID",
        currency,
        amount,
        settlement_batch_ids: batches.map((batch) => batch.id),
      },
      ...{ bank_name, bank_country: country, bank_last4: last4, arrival_date: iso(paidMs).slice(0, 10) },
      ...{ due_at: iso(paidMs), created_at: iso(madeMs), updated_at: iso(paidMs) },
    });
    const [made, paid] = [
      { id, atMs: madeMs },
      { id, atMs: paidMs },
    ];
    this.#line(null, made, 1, "merchant_available", "merchant_in_payout", amount, currency);
    this.#line(null, paid, 2, "merchant_in_payout", "bank", amount, currency);
    this.#audit("payout.create", id, iso(madeMs));
    this.#audit("payout.sent", id, iso(madeMs));
    this.#audit("payout.paid", id, iso(paidMs));
  }
}

/** A card that was declined as expired has expired: by the month before. */
function expiryOf({ fate, last4 }: PastOrder, atMs: number): { card_exp_month: number; card_exp_year: number } {
  const at = new Date(atMs);
  const isExpired = fate.kind === "declined" && fate.code === "expired_card";
  if (!isExpired) return { card_exp_month: 1 + (Number(last4) % 12), card_exp_year: at.getUTCFullYear() + 2 };
  const month = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1));
  return { card_exp_month: month.getUTCMonth() + 1, card_exp_year: month.getUTCFullYear() };
}

/** A charge may have been refunded after it was settled. */
const laterOf = (known: unknown, at: string): string => (String(known) > at ? String(known) : at);

const feeOn = (amount: number) => Math.floor((amount * FEE_BASIS_POINTS + 5_000) / 10_000);

function statusOf({ amount, fate }: PastOrder): string {
  switch (fate.kind) {
    case "captured":
      return "CAPTURED";
    case "declined":
      return "DECLINED";
    case "voided":
      return "VOIDED";
    case "refunded":
      return fate.amount === amount ? "REFUNDED" : "PARTIALLY_REFUNDED";
    default:
      return fate satisfies never;
  }
}
