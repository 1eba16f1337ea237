import { HISTORY_TABLES, type History, hasPayments, insertHistory } from "@/db/queries/demo-history";
import { insertPlan, listPlans } from "@/db/queries/plans";
import { includedTax } from "@/lib/contract/invoices/tax";
import { TEST_BANK_ACCOUNT } from "@/lib/contract/settlement/payout";
import type { Service } from "@/lib/domain/context";
import { forgetTotals } from "@/lib/domain/lists";
import { bankDayAfter } from "@/lib/domain/settlement/bank-days";
import { idAt } from "@/lib/ids";
import { type PastEvent, type PastPayment, rowOfBatchEvent, rowsOfEvents, rowsOfPayoutEvents } from "./events";
import { DECISION_MS, expiryOf, FEE_BASIS_POINTS, feeOn, type PastOrder, pastOrders, statusOf } from "./orders";
import { DEMO_BUSINESS, DEMO_PLANS } from "./shop";
import { type PastSubscribers, pastSubscribers } from "./subscribers";

const DAYS = 60;
const ORDERS_PER_DAY = 20;
const DAY_MS = 86_400_000;
const SYSTEM = { type: "system", id: null };

/**
 * Writes two months of the demo shop into every book, as the money path would have (`npm run verify` finds
 * nothing). Rows, not API calls, because the API cannot date a payment back. Returns the number of payments:
 * 0 if the shop has any.
 */
export async function seedDemoHistory(service: Service, environmentId: string): Promise<number> {
  if (await hasPayments(service.db.within(environmentId).sql, environmentId)) return 0;
  const orders = pastOrders(service.clock.now(), DAYS, ORDERS_PER_DAY);
  const [first] = orders;
  if (!first) return 0;
  const plans = await insertPlans(service, environmentId, first.atMs - DAY_MS);
  const nowMs = service.clock.now().getTime();
  const subscribers = pastSubscribers(
    { service, environment: { id: environmentId, mode: "test" } },
    { plans, nowMs, timeZone: "UTC" },
  );
  const books = new Books(environmentId, plans, nowMs);
  const sales = [...orders, ...subscribers.payments].toSorted((a, b) => a.atMs - b.atMs);
  for (const sale of sales) books.take(sale);
  books.settle();
  books.noteRefunds();
  books.addEvents();
  books.addSubscribers(subscribers);
  const isWritten = await insertHistory(service.db.long, environmentId, {
    history: books.rows,
    since: iso(first.atMs),
    feeBasisPoints: FEE_BASIS_POINTS,
    business: DEMO_BUSINESS,
  });
  forgetTotals(environmentId);
  return isWritten ? sales.length : 0;
}

/** Creates the shop's plans unless they exist; returns them by name. */
async function insertPlans(service: Service, environmentId: string, atMs: number): Promise<Plans> {
  const { orm } = service.db.within(environmentId);
  for (const { name, type, description, price, trialDays, trialPrice } of DEMO_PLANS) {
    await insertPlan(orm, environmentId, {
      id: idAtMs(atMs),
      name,
      type,
      description,
      currency: "USD",
      full_price: price,
      trial_price: trialPrice ?? null,
      status: "ACTIVE",
      billing_frequency_value: type === "ONE_TIME" ? null : 1,
      billing_frequency_unit: type === "ONE_TIME" ? null : "MONTHS",
      trial_period_value: trialDays ?? null,
      trial_period_unit: trialDays ? "DAYS" : null,
      created_at: iso(atMs),
      updated_at: iso(atMs),
    });
  }
  const plans = await listPlans(orm, environmentId, {}, { limit: 100, offset: 0, after: null });
  return new Map(plans.map((plan) => [plan.name, plan]));
}

type Plans = Parameters<typeof pastSubscribers>[1]["plans"];

const iso = (ms: number) => new Date(ms).toISOString();
const idAtMs = (ms: number) => idAt(new Date(ms));

type Row = Record<string, unknown>;
type Step = {
  /** Default: a new one. */
  id?: string;
  kind: "authorize" | "void" | "refund";
  atMs: number;
  amount: number;
  event: PastEvent["type"];
  state?: "declined";
  refund?: Row;
};

class Books {
  readonly rows = Object.fromEntries(HISTORY_TABLES.map((table) => [table, [] as Row[]])) as History;
  readonly #environmentId: string;
  readonly #plans: Plans;
  readonly #nowMs: number;
  /** By the charge's id. */
  readonly #paid = new Map<unknown, PastPayment>();
  readonly #events: PastEvent[] = [];
  /** Settled batches that are not paid out yet, by currency. */
  readonly #available = new Map<string, { batches: Row[]; net: number }>();
  #lastMs = 0;

  constructor(environmentId: string, plans: Plans, nowMs: number) {
    this.#environmentId = environmentId;
    this.#plans = plans;
    this.#nowMs = nowMs;
  }

  take(order: PastOrder): void {
    // At most one order per second: ids made in the same millisecond have no order. An invoice is paid when
    // it is due.
    const atMs = order.bill ? order.atMs : Math.max(order.atMs, this.#lastMs + 1_000);
    this.#lastMs = Math.max(this.#lastMs, atMs);
    const { fate, amount } = order;
    const isCaptured = fate.kind === "captured" || fate.kind === "refunded";
    const paid = this.#payment(order, atMs, isCaptured);
    const id = String(paid.payment.authorization_id);
    const declined = { event: "payment.declined", state: "declined" } as const;
    const approved = { event: isCaptured ? "payment.captured" : "payment.authorized" } as const;
    this.#operation(paid, { id, kind: "authorize", atMs, amount, ...(fate.kind === "declined" ? declined : approved) });
    this.#processorCharge(order, paid, atMs);
    if (isCaptured) {
      const payment = String(paid.payment.id);
      this.#line({ id, atMs, payment }, 1, "processor_receivable", "merchant_payable", amount, order.currency);
      const fee = feeOn(amount);
      if (fee > 0) this.#line({ id, atMs, payment }, 2, "merchant_payable", "fees", fee, order.currency);
    }
    if (fate.kind === "voided")
      this.#operation(paid, { kind: "void", atMs: atMs + fate.afterMs, amount, event: "payment.voided" });
    if (fate.kind === "refunded") this.#refund(paid, atMs + fate.afterMs, fate);
  }

  /** Settles what was captured by each night in a batch per currency; the last day is left to the job. */
  settle(): void {
    const batches = new Map<string, { charges: Row[]; refunds: Row[]; currency: string; atMs: number }>();
    for (const row of this.rows.transactions) {
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

  /** Numbers the refunds' documents in the order in which the refunds succeeded. A payment has one refund. */
  noteRefunds(): void {
    const refunds = this.rows.transactions.filter(({ type }) => type === "REFUND");
    const sorted = refunds.toSorted((a, b) => (String(a.captured_at) < String(b.captured_at) ? -1 : 1));
    const { tax_name, tax_rate } = DEMO_BUSINESS;
    this.rows.credit_notes = sorted.map(({ id, payment_id, amount, captured_at }, index) => ({
      environment_id: this.#environmentId,
      id,
      payment_id,
      number: index + 1,
      amount,
      tax_name,
      tax_rate,
      tax_amount: includedTax(Number(amount), tax_rate),
      created_at: captured_at,
    }));
    if (sorted.length > 0)
      this.rows.credit_note_counters.push({ environment_id: this.#environmentId, last: sorted.length });
  }

  /** Last, because each event contains its object as it was then, which later changes determine. */
  addEvents(): void {
    this.rows.events.push(...rowsOfEvents(this.#environmentId, this.#events));
  }

  addSubscribers({ rows }: PastSubscribers): void {
    for (const [table, added] of Object.entries(rows)) this.rows[table as keyof History].push(...added);
  }

  #add(table: keyof History, atMs: number, row: Row): Row {
    const added = { environment_id: this.#environmentId, ...row, created_at: iso(atMs) };
    this.rows[table].push(added);
    return added;
  }

  #payment(order: PastOrder, atMs: number, isCaptured: boolean): PastPayment {
    const { fate, currency, amount, customer, bill } = order;
    const [id, chargeId] = [bill?.paymentId ?? idAtMs(atMs), idAtMs(atMs)];
    const status = statusOf(order);
    const decidedAt = iso(atMs + DECISION_MS);
    const endedAt = iso(atMs + ("afterMs" in fate ? fate.afterMs : 0) + DECISION_MS);
    const name = customer.toLowerCase().replace(" ", ".");
    const payment = this.#add("payments", atMs, {
      id,
      charge_id: chargeId,
      authorization_id: bill?.operationId ?? idAtMs(atMs),
      status,
      currency,
      amount,
      customer_id: `customer-${name}`,
      payment_method_id: bill?.methodId ?? null,
      initiator: bill?.initiator ?? null,
      invoice_id: bill?.invoiceId ?? null,
      capture_method: fate.kind === "voided" ? "manual" : "automatic",
      amount_captured: isCaptured ? amount : 0,
      amount_refunded: fate.kind === "refunded" ? fate.amount : 0,
      tax_name: isCaptured ? DEMO_BUSINESS.tax_name : null,
      tax_rate: isCaptured ? DEMO_BUSINESS.tax_rate : null,
      refund_pending: 0,
      version: 2,
      event_sequence: 0,
      updated_at: endedAt,
    });
    const charge = this.#add("transactions", atMs, {
      id: chargeId,
      payment_id: id,
      type: "CHARGE",
      status,
      amount,
      currency,
      customer_id: `customer-${name}`,
      customer_name: customer,
      customer_email: `${name}@shopper.example`,
      billing_address: order.address,
      card_brand: order.brand,
      card_last4: order.last4,
      card_bin: order.bin,
      ...(bill ? { card_exp_month: bill.expMonth, card_exp_year: bill.expYear } : expiryOf(order, atMs)),
      avs_result: order.address ? "Y" : "U",
      cvv_result: fate.kind === "declined" && fate.code === "incorrect_cvv" ? "N" : "M",
      fraud_score: order.fraudScore,
      decline_code: fate.kind === "declined" ? fate.code : null,
      plan_id: (order.plan !== null && this.#plans.get(order.plan)?.id) || null,
      subscription_id: bill?.subscriptionId ?? null,
      refund_of: null,
      refund_reason: null,
      void_reason: fate.kind === "voided" ? "Out of stock" : null,
      settlement_batch_id: null,
      description: order.description,
      metadata: {},
      authorized_at: fate.kind === "declined" ? null : decidedAt,
      captured_at: isCaptured ? decidedAt : null,
      settled_at: null,
      voided_at: fate.kind === "voided" ? endedAt : null,
      refunded_at: fate.kind === "refunded" ? endedAt : null,
      event_sequence: 0,
      updated_at: endedAt,
    });
    const paid = { payment, charge, refunds: [] };
    this.#paid.set(chargeId, paid);
    return paid;
  }

  #refund(paid: PastPayment, atMs: number, { amount, reason }: { amount: number; reason: string }): void {
    const at = iso(atMs + DECISION_MS);
    const refund = this.#add("transactions", atMs, {
      ...paid.charge,
      id: idAtMs(atMs),
      type: "REFUND",
      status: "CAPTURED",
      amount,
      fraud_score: null,
      avs_result: null,
      cvv_result: null,
      refund_of: paid.charge.id,
      refund_reason: reason,
      authorized_at: null,
      captured_at: at,
      refunded_at: at,
      updated_at: at,
    });
    paid.refunds.push(refund);
    const id = this.#operation(paid, { kind: "refund", atMs, amount, event: "refund.succeeded", refund });
    const { id: payment, currency } = paid.payment;
    const source = { id, atMs, payment: String(payment) };
    this.#line(source, 1, "merchant_payable", "processor_receivable", amount, String(currency));
  }

  /**
   * An operation of the payment in our books and, except an authorization, in the processor's. Returns its
   * id.
   */
  #operation(paid: PastPayment, { kind, atMs, amount, event, state, refund, ...step }: Step): string {
    const { id: payment_id, currency, authorization_id } = paid.payment;
    const id = step.id ?? idAtMs(atMs);
    const completedAt = iso(atMs + DECISION_MS);
    this.#add("operations", atMs, {
      id,
      payment_id,
      transaction_id: (refund ?? paid.charge).id,
      kind,
      state: state ?? "succeeded",
      amount,
      currency,
      actor: SYSTEM,
      epoch: 1,
      attempts: 1,
      lease_until: completedAt,
      send_until: completedAt,
      next_attempt_at: completedAt,
      last_answer: state ?? "succeeded",
      completed_at: completedAt,
      captured: event === "payment.captured",
      fee_basis_points: event === "payment.captured" ? FEE_BASIS_POINTS : null,
    });
    const about = { type: event, at: completedAt, operationId: id, of: paid };
    this.#events.push((refund ? { ...about, refund } : about) as PastEvent);
    this.#audit(`payment.${kind}`, payment_id, atMs + DECISION_MS);
    if (kind !== "authorize") {
      this.rows["sandbox_processor.operations"].push({
        reference: id,
        account: this.#environmentId,
        kind,
        charge: authorization_id,
        amount,
        currency,
        outcome: "approved",
        created_at: iso(atMs),
      });
    }
    return id;
  }

  #audit(action: string, object_id: unknown, atMs: number): void {
    this.#add("audit_log", atMs, { id: idAtMs(atMs), actor: SYSTEM, action, object_id });
  }

  /** `source`: an operation, settlement batch or payout. */
  #line(
    source: { id: string; atMs: number; payment?: string },
    line: number,
    debit_account: string,
    credit_account: string,
    amount: number,
    currency: string,
  ): void {
    this.#add("ledger_entries", source.atMs + DECISION_MS, {
      operation_id: source.id,
      line,
      payment_id: source.payment ?? null,
      debit_account,
      credit_account,
      amount,
      currency,
    });
  }

  #processorCharge({ fate, address, bill }: PastOrder, { payment }: PastPayment, atMs: number): void {
    this.rows["sandbox_processor.charges"].push({
      reference: payment.authorization_id,
      account: this.#environmentId,
      behavior: bill?.behavior ?? (fate.kind === "declined" ? `decline:${fate.code}` : "approve"),
      outcome: fate.kind === "declined" ? "declined" : "approved",
      decline_code: fate.kind === "declined" ? fate.code : null,
      amount: payment.amount,
      currency: payment.currency,
      capture_at_once: fate.kind !== "voided",
      amount_captured: payment.amount_captured,
      amount_refunded: payment.amount_refunded,
      voided: fate.kind === "voided",
      avs_result: address ? "Y" : "U",
      cvv_result: "M",
      card_attempts: 0,
      email_attempts: 0,
      address_attempts: 0,
      created_at: iso(atMs),
    });
  }

  #batch(charges: Row[], refunds: Row[], currency: string, atMs: number): void {
    const [id, at] = [idAtMs(atMs), iso(atMs)];
    for (const row of [...charges, ...refunds]) {
      if (row.status === "CAPTURED") row.status = "SETTLED";
      Object.assign(row, { settled_at: at, settlement_batch_id: id, updated_at: laterOf(row.updated_at, at) });
      const of = this.#paid.get(row.refund_of ?? row.id);
      if (!of) continue;
      of.payment.updated_at = laterOf(of.payment.updated_at, at);
      if (row.type === "REFUND") {
        this.#events.push({ type: "transaction.settled", at, operationId: id, of, refund: row });
        continue;
      }
      if (of.payment.status === "CAPTURED") of.payment.status = "SETTLED";
      this.#events.push({ type: "payment.settled", at, operationId: id, of });
    }
    const sum = (rows: Row[]) => rows.reduce((total, row) => total + Number(row.amount), 0);
    const net = sum(charges) - sum(refunds) - charges.reduce((total, row) => total + feeOn(Number(row.amount)), 0);
    const batch = this.#add("settlement_batches", atMs, {
      id,
      currency,
      payout_id: null,
      charge_count: charges.length,
      charge_amount: sum(charges),
      refund_count: refunds.length,
      refund_amount: sum(refunds),
      reversal_count: 0,
      reversal_amount: 0,
    });
    this.rows.events.push(rowOfBatchEvent(batch, net));
    const source = { id, atMs };
    if (charges.length > 0) this.#line(source, 1, "bank", "processor_receivable", sum(charges), currency);
    if (refunds.length > 0) this.#line(source, 2, "processor_receivable", "bank", sum(refunds), currency);
    if (net > 0) this.#line(source, 4, "merchant_payable", "merchant_available", net, currency);
    if (net < 0) this.#line(source, 4, "merchant_available", "merchant_payable", -net, currency);
    this.#audit("settlement_batch.create", id, atMs);
    const available = this.#available.get(currency) ?? { batches: [], net: 0 };
    this.#available.set(currency, { batches: [...available.batches, batch], net: available.net + net });
    this.#payout(atMs, currency);
  }

  /**
   * Pays out what is available; it arrives on the next bank day. Waits while refunds exceed sales; the latest are left
   * to the job.
   */
  #payout(batchMs: number, currency: string): void {
    const { batches, net: amount } = this.#available.get(currency) ?? { batches: [], net: 0 };
    const createdMs = batchMs + 60_000;
    const arrival = bankDayAfter(iso(createdMs).slice(0, 10), currency);
    const paidMs = Date.parse(`${arrival}${iso(createdMs).slice(10)}`);
    if (amount <= 0 || paidMs > this.#nowMs) return;
    this.#available.delete(currency);
    const id = idAtMs(createdMs);
    for (const batch of batches) batch.payout_id = id;
    const { bank_name, country, last4 } = TEST_BANK_ACCOUNT;
    const payout = this.#add("payouts", createdMs, {
      id,
      status: "PAID",
      currency,
      amount,
      dispute_amount: 0,
      settlement_batch_ids: batches.map((batch) => batch.id),
      bank_name,
      bank_country: country,
      bank_last4: last4,
      arrival_date: arrival,
      failure_reason: null,
      due_at: iso(paidMs),
      updated_at: iso(paidMs),
    });
    this.rows.events.push(...rowsOfPayoutEvents(payout));
    this.#line({ id, atMs: createdMs }, 1, "merchant_available", "merchant_in_payout", amount, currency);
    this.#line({ id, atMs: paidMs }, 2, "merchant_in_payout", "bank", amount, currency);
    this.#audit("payout.create", id, createdMs);
    this.#audit("payout.sent", id, createdMs);
    this.#audit("payout.paid", id, paidMs);
  }
}

/** A charge may have been refunded after it was settled. */
const laterOf = (known: unknown, at: string): string => (String(known) > at ? String(known) : at);
