import type { NumberedEvent } from "@/db/schema/events";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { cardBrand } from "@/lib/contract/card-networks";
import type { DeclineCode } from "@/lib/contract/errors";
import { SANDBOX_CARDS, type SandboxBehavior } from "@/lib/contract/sandbox-cards";
import { DEFAULT_SUBSCRIPTION_SETTINGS } from "@/lib/contract/subscriptions/settings";
import { newEvent } from "@/lib/domain/events/event";
import { presentPaymentMethod } from "@/lib/domain/payment-methods/stored-card";
import { processorCustomer } from "@/lib/domain/payments/processor-calls";
import { advance } from "@/lib/domain/subscriptions/advance";
import { applyPayment, type PaymentResult } from "@/lib/domain/subscriptions/apply-payment";
import { changeNow } from "@/lib/domain/subscriptions/change";
import { boughtPlan } from "@/lib/domain/subscriptions/create";
import { changed, ended, type Move } from "@/lib/domain/subscriptions/move";
import type { ShownIn } from "@/lib/domain/subscriptions/present";
import { startSubscription } from "@/lib/domain/subscriptions/start";
import { trialKeys } from "@/lib/domain/subscriptions/trial-keys";
import { moveRows } from "@/lib/domain/subscriptions/write-move";
import { idAt } from "@/lib/ids";
import { decideAuthorization } from "@/lib/processor/sandbox/checks";
import { storedTokenOf } from "@/lib/processor/sandbox/stored-cards";
import { DECISION_MS, type PastOrder } from "./orders";
import { DEMO_BUSINESS, DEMO_SUBSCRIBERS, type DemoSubscriber } from "./shop";

type Row = Record<string, unknown>;
type Plan = Parameters<typeof boughtPlan>[0];
/** A card that the processor stores, as our row and with its behavior. */
type StoredCard = { row: Parameters<typeof presentPaymentMethod>[0]; behavior: SandboxBehavior };

/** A subscriber with everything that happened up to now. */
type Account = {
  readonly who: DemoSubscriber;
  readonly startMs: number;
  subscription: SubscriptionRow | null;
  invoices: InvoiceRow[];
  card: StoredCard | null;
  hasActed: boolean;
};

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const SYSTEM = { type: "system", id: null };
/** Replaces the card of the subscriber whose first one was declined. */
const NEW_CARD = "4242424242424242";
/** The plan that a subscriber changes to. */
const UPGRADE = "Print club";

const iso = (ms: number) => new Date(ms).toISOString();
const idAtMs = (ms: number) => idAt(new Date(ms));

/** The subscribers' rows by table, and their payments, which the shop's books record like those of orders. */
export type PastSubscribers = { payments: PastOrder[]; rows: Record<SubscriberTable, Row[]> };
type SubscriberTable =
  | "payment_methods"
  | "subscription_trials"
  | "subscriptions"
  | "invoices"
  | "invoice_counters"
  | "events"
  | "audit_log"
  | "sandbox_processor.stored_cards";

/**
 * The subscribers' past: the engine's own decisions, at the times at which they were due, on rows in memory.
 * `plans`: by name.
 */
export function pastSubscribers(
  shownIn: ShownIn,
  { plans, nowMs, timeZone }: { plans: ReadonlyMap<string, Plan>; nowMs: number; timeZone: string },
): PastSubscribers {
  const past = new Past(shownIn, plans, timeZone);
  const accounts = DEMO_SUBSCRIBERS.map((who, index): Account => {
    // Not all at the same time of day.
    const startMs = nowMs - who.daysAgo * DAY_MS - ((index * 37) % 180) * MINUTE_MS;
    return { who, startMs, subscription: null, invoices: [], card: null, hasActed: false };
  });
  for (;;) {
    const [next] = accounts.map((account) => dueOf(account, nowMs)).toSorted((a, b) => a.atMs - b.atMs);
    if (!next || next.atMs > nowMs) return past.finish(accounts);
    past.step(next.account, next.what, next.atMs);
  }
}

type Step = "start" | "act" | "advance" | "charge";

/** The next thing that happens to an account. */
function dueOf(account: Account, nowMs: number): { account: Account; what: Step; atMs: number } {
  const { who, startMs, subscription, invoices } = account;
  if (subscription === null) return { account, what: "start", atMs: startMs };
  const charge = Math.min(...invoices.map(({ next_attempt_at: at }) => (at === null ? Infinity : Date.parse(at))));
  const steps: [Step, number][] = [
    ["charge", charge],
    ["advance", subscription.due_at === null ? Infinity : Date.parse(subscription.due_at)],
    ["act", who.later && !account.hasActed ? nowMs - who.later.daysAgo * DAY_MS : Infinity],
  ];
  const [first = ["advance", Infinity]] = steps.toSorted(([, a], [, b]) => a - b);
  return { account, what: first[0], atMs: first[1] };
}

class Past {
  readonly #shownIn: ShownIn;
  readonly #environmentId: string;
  readonly #plans: ReadonlyMap<string, Plan>;
  readonly #timeZone: string;
  readonly #payments: PastOrder[] = [];
  readonly #rows: PastSubscribers["rows"] = {
    payment_methods: [],
    subscription_trials: [],
    subscriptions: [],
    invoices: [],
    invoice_counters: [],
    events: [],
    audit_log: [],
    "sandbox_processor.stored_cards": [],
  };
  #lastNumber = 0;

  constructor(shownIn: ShownIn, plans: ReadonlyMap<string, Plan>, timeZone: string) {
    this.#shownIn = shownIn;
    this.#environmentId = shownIn.environment.id;
    this.#plans = plans;
    this.#timeZone = timeZone;
  }

  step(account: Account, what: Step, atMs: number): void {
    if (what === "start") this.#start(account, atMs);
    if (what === "act") this.#act(account, atMs);
    if (what === "advance") {
      const { subscription, open } = held(account);
      const move = advance(subscription, open, { now: iso(atMs), invoiceId: idAtMs(atMs) });
      if (move === null) throw new Error(`${account.who.name} waits for a payment`);
      this.#write(account, move, iso(atMs));
    }
    if (what === "charge") {
      const invoice = account.invoices.find(({ next_attempt_at: at }) => at !== null && Date.parse(at) <= atMs);
      if (!invoice) throw new Error(`${account.who.name} has nothing to pay`);
      this.#charge(account, invoice, atMs, true);
    }
  }

  finish(accounts: readonly Account[]): PastSubscribers {
    for (const { subscription, invoices } of accounts) {
      if (subscription) this.#rows.subscriptions.push(subscription);
      this.#rows.invoices.push(...invoices);
    }
    this.#rows.invoice_counters.push({ environment_id: this.#environmentId, last: this.#lastNumber });
    return { payments: this.#payments, rows: this.#rows };
  }

  #start(account: Account, atMs: number): void {
    const { who } = account;
    const { id: planId, plan } = this.#plan(who.plan);
    const now = iso(atMs);
    account.card = this.#store(account, who.card, atMs - MINUTE_MS);
    const { subscription, invoice } = startSubscription({
      environmentId: this.#environmentId,
      id: idAtMs(atMs),
      invoiceId: idAtMs(atMs),
      planId,
      plan,
      quantity: who.quantity ?? 1,
      customerId: customerIdOf(who),
      customerEmail: emailOf(who),
      paymentMethodId: account.card.row.id,
      timeZone: this.#timeZone,
      metadata: {},
      trialEndAt: null,
      trialRefused: false,
      now,
    });
    if (plan.trial !== null) {
      const keys = trialKeys({
        customerId: subscription.customer_id,
        email: subscription.customer_email,
        card: account.card.row.card_identity,
      });
      for (const key of keys) {
        this.#rows.subscription_trials.push({
          environment_id: this.#environmentId,
          plan_id: planId,
          key: `\\x${key}`,
          subscription_id: subscription.id,
        });
      }
    }
    if (invoice) {
      account.subscription = subscription;
      account.invoices.push(invoice);
      this.#charge(account, invoice, atMs, false);
    } else this.#write(account, { subscription, invoices: [], events: [{ type: "subscription.created" }] }, now);
  }

  #act(account: Account, atMs: number): void {
    account.hasActed = true;
    const { subscription: row, open } = held(account);
    const now = iso(atMs);
    const step = account.who.later?.do;
    if (step === "pause") {
      this.#write(account, paused(row, open, now), now);
    } else if (step === "cancel") {
      this.#write(account, ended(row, open, { at: now, now, reason: "Customer's request" }), now);
    } else if (step === "cancel_later") {
      this.#write(account, updated(changed(row, { cancel_at_period_end: true }, now)), now);
    } else if (step === "new_card") {
      account.card = this.#store(account, NEW_CARD, atMs - MINUTE_MS);
      const next = changed(row, { payment_method_id: account.card.row.id }, now);
      const due = open.map((invoice) => ({ ...invoice, next_attempt_at: now, updated_at: now }));
      this.#write(account, updated(next, due), now);
    } else if (step === "upgrade") {
      const { id, plan } = this.#plan(UPGRADE);
      const target = { plan_id: id, plan, quantity: 1 };
      const { values, invoice } = changeNow(row, target, "credit", { now, invoiceId: idAtMs(atMs), billed: row });
      if (!invoice) throw new Error("an upgrade costs something");
      const change = { ...values, credit: (values.credit ?? row.credit) - row.credit };
      const draft = { ...invoice, change_on_payment: change };
      account.invoices.push(draft);
      this.#charge(account, draft, atMs, false);
    } else step satisfies undefined;
  }

  /**
   * Charges an invoice. `isAutomatic`: an attempt of the engine, rather than the first payment of a change.
   */
  #charge(account: Account, invoice: InvoiceRow, atMs: number, isAutomatic: boolean): void {
    const { subscription, card } = held(account);
    const [paymentId, operationId] = [idAtMs(atMs), idAtMs(atMs)];
    const now = iso(atMs + DECISION_MS);
    const { row, behavior } = card;
    const { leaves = false } = account.who;
    const initiator = leaves ? "customer" : "merchant";
    const declineCode = leaves ? "authentication_failed" : declineOf(card, now);
    this.#payments.push({
      atMs,
      amount: invoice.amount_due,
      currency: "USD",
      brand: row.card_brand ?? "visa",
      last4: row.card_last4 ?? "",
      bin: row.card_bin ?? "",
      customer: account.who.name,
      description: null,
      address: null,
      plan: subscription.plan.name,
      fraudScore: 0,
      fate: declineCode === null ? fateOf(account, invoice) : { kind: "declined", code: declineCode },
      bill: {
        paymentId,
        operationId,
        invoiceId: invoice.id,
        subscriptionId: subscription.id,
        methodId: row.id,
        initiator,
        behavior: leaves ? "decline:authentication_failed" : behavior,
        expMonth: row.card_exp_month ?? 1,
        expYear: row.card_exp_year ?? 2040,
      },
    });
    this.#replace(account, {
      ...invoice,
      attempts: invoice.attempts + 1,
      open_payment_id: paymentId,
      open_is_automatic: isAutomatic,
      payment_ids: [...invoice.payment_ids, paymentId],
      version: invoice.version + 1,
    });
    const apply = (result: PaymentResult) => {
      const { subscription: is, open } = held(account);
      const billed = open.find(({ id }) => id === invoice.id);
      if (!billed) throw new Error(`${account.who.name} pays no open invoice`);
      const move = applyPayment(
        { subscription: is, invoice: billed, others: open.filter((one) => one !== billed) },
        result,
        { now, dunning: DEFAULT_SUBSCRIPTION_SETTINGS },
      );
      if (move === "forget") throw new Error(`${account.who.name} can't begin with a declined card`);
      this.#write(account, move, now, operationId);
    };
    if (leaves) apply({ kind: "waits" });
    apply(
      declineCode === null
        ? { kind: "paid", methodId: row.id, isStored: false }
        : { kind: "failed", declineCode, methodId: row.id },
    );
  }

  #write(account: Account, move: Move, now: string, operationId: string | null = null): void {
    const locked = { subscription: account.subscription, invoices: account.invoices };
    const { tax_name, tax_rate } = DEMO_BUSINESS;
    const issued = { firstNumber: this.#lastNumber + 1, tax_name, tax_rate };
    const { subscription, invoices, events } = moveRows(this.#shownIn, { locked, move, now, issued, operationId });
    account.subscription = subscription.is;
    for (const { is } of invoices) {
      this.#replace(account, is);
      this.#lastNumber = Math.max(this.#lastNumber, is.number ?? 0);
    }
    for (const event of events) this.#event(event);
    const [first] = events;
    if (first) this.#audit(first.id, first.type, first.object_id, now);
  }

  #replace({ invoices }: Account, row: InvoiceRow): void {
    const at = invoices.findIndex(({ id }) => id === row.id);
    if (at < 0) invoices.push(row);
    else invoices[at] = row;
  }

  #store({ who }: Account, number: string, atMs: number): StoredCard {
    const [id, at] = [idAtMs(atMs), iso(atMs)];
    const behavior = SANDBOX_CARDS.find((card) => card.number === number)?.behavior ?? "approve";
    const row = {
      environment_id: this.#environmentId,
      id,
      customer_id: customerIdOf(who),
      connection_id: null,
      processor_token: storedTokenOf(id),
      card_brand: cardBrand(number),
      card_last4: number.slice(-4),
      card_bin: number.slice(0, 6),
      card_exp_month: 1 + (who.name.length % 12),
      card_exp_year: new Date(atMs).getUTCFullYear() + 3,
      // Each customer has a card of their own, though test numbers are few.
      card_identity: id,
      consent: null,
      metadata: {},
      payment_id: null,
      client_session_id: null,
      removed_at: null,
      removal_due_at: null,
      expiry_announced: false,
      created_at: at,
      updated_at: at,
    };
    this.#rows.payment_methods.push(row);
    this.#rows["sandbox_processor.stored_cards"].push({
      reference: id,
      account: this.#environmentId,
      customer: processorCustomer(this.#environmentId, row.customer_id),
      behavior,
      fingerprint: id,
      exp_month: row.card_exp_month,
      exp_year: row.card_exp_year,
      outcome: "approved",
      decline_code: null,
      merchant_charges: 0,
      created_at: at,
    });
    const data = { object: presentPaymentMethod(row, "test", new Date(atMs)), previous: null };
    const about = { objectId: id, operationId: null };
    const event = { ...newEvent("payment_method.created", about, data, at), sequence: 1 };
    this.#event(event);
    this.#audit(event.id, event.type, id, at);
    return { row, behavior };
  }

  #event(event: NumberedEvent): void {
    this.#rows.events.push({ environment_id: this.#environmentId, ...event, data: JSON.parse(event.data) });
  }

  /** `id`: that of the event written with it. */
  #audit(id: string, action: string, object_id: string, at: string): void {
    this.#rows.audit_log.push({
      environment_id: this.#environmentId,
      id,
      actor: SYSTEM,
      action,
      object_id,
      created_at: at,
    });
  }

  #plan(name: string) {
    const row = this.#plans.get(name);
    const plan = row && boughtPlan(row);
    if (!row || !plan) throw new Error(`the demo shop has no recurring plan "${name}"`);
    return { id: row.id, plan };
  }
}

const paused = (row: SubscriptionRow, open: readonly InvoiceRow[], now: string): Move => ({
  subscription: changed(row, { status: "PAUSED", paused_at: now }, now),
  invoices: open.map((invoice) => ({ ...invoice, next_attempt_at: null, updated_at: now })),
  events: [{ type: "subscription.paused" }],
});

const updated = (subscription: SubscriptionRow, invoices: readonly InvoiceRow[] = []): Move => ({
  subscription,
  invoices,
  events: [{ type: "subscription.updated" }],
});

/** The account's rows as a transaction would lock them. */
function held({ who, subscription, card, invoices }: Account) {
  if (!subscription || !card) throw new Error(`${who.name} has not subscribed`);
  return { subscription, card, open: invoices.filter(({ status }) => status === "DRAFT" || status === "OPEN") };
}

function declineOf({ row, behavior }: StoredCard, at: string): DeclineCode | null {
  const [expMonth, expYear] = [row.card_exp_month ?? 1, row.card_exp_year ?? 2040];
  const card = { behavior, fingerprint: row.id, expMonth, expYear };
  return decideAuthorization(card, "merchant", new Date(at)).declineCode;
}

/** The fate of the money that an invoice charged. */
function fateOf({ who, invoices }: Account, { amount_due: amount }: InvoiceRow): PastOrder["fate"] {
  const isFirst = invoices.every(({ amount_paid: paid }) => paid === 0);
  if (who.refundedAfterDays === undefined || !isFirst) return { kind: "captured" };
  return { kind: "refunded", amount, reason: "CUSTOMER_REQUEST", afterMs: who.refundedAfterDays * DAY_MS };
}

const mailboxOf = ({ name }: DemoSubscriber) => name.toLowerCase().replace(" ", ".");
const customerIdOf = (who: DemoSubscriber) => `customer-${mailboxOf(who)}`;
const emailOf = (who: DemoSubscriber) => `${mailboxOf(who)}@shopper.example`;
