import { DateTime } from "luxon";

/** A model of subscriptions, written from the API's contract with another date library. */

type Unit = "DAYS" | "WEEKS" | "MONTHS";
export type ModelPlan = { id: string; price: number; value: number; unit: Unit };
export type ModelCard = "good" | "poor" | "stolen";
type Terms = { plan: ModelPlan; quantity: number };

export type ModelInvoice = {
  kind: "PERIOD" | "CHANGE";
  number: number;
  start: string;
  end: string;
  total: number;
  creditUsed: number;
  due: number;
  status: "OPEN" | "PAID" | "VOID" | "UNCOLLECTIBLE";
  attempts: number;
  step: number;
  next: string | null;
};

const UNITS = { DAYS: "days", WEEKS: "weeks", MONTHS: "months" } as const;
/** Days from each failed attempt to the next, and what follows the last one. */
export type ModelDunning = { steps: readonly number[]; after: "CANCEL" | "KEEP" };

const iso = (at: DateTime): string => at.toUTC().toISO({ precision: "milliseconds" }) ?? "";

export class SubscriptionModel {
  status: "TRIALING" | "ACTIVE" | "PAST_DUE" | "PAUSED" | "CANCELLED" = "ACTIVE";
  invoices: ModelInvoice[] = [];
  credit = 0;
  number = 1;
  start: string;
  end: string;
  anchor: string;
  cancelsAtEnd = false;
  pending: Terms | null = null;
  card: ModelCard = "good";
  /** The card had a hard decline. */
  private isRefused = false;
  reason: string | null = null;
  private isAnnounced = false;

  /** The terms that the period was charged for; changes without proration keep them. */
  private billed: Terms;

  constructor(
    readonly zone: string,
    readonly dunning: ModelDunning,
    public terms: Terms,
    trialDays: number | null,
    now: string,
  ) {
    this.anchor = now;
    this.start = now;
    this.end = now;
    this.billed = terms;
    if (trialDays === null) {
      this.begin(1);
      this.invoices.push({ ...this.made("PERIOD", this.price()), status: "PAID", attempts: 1, next: null });
      return;
    }
    this.status = "TRIALING";
    this.number = 0;
    this.end = this.after(now, { days: trialDays });
    this.anchor = this.end;
  }

  private after(at: string, duration: object): string {
    return iso(DateTime.fromISO(at, { zone: this.zone }).plus(duration));
  }

  private startOf(number: number): string {
    const { value, unit } = this.terms.plan;
    return this.after(this.anchor, { [UNITS[unit]]: value * (number - 1) });
  }

  private begin(number: number): void {
    this.number = number;
    this.billed = this.terms;
    this.start = this.startOf(number);
    this.end = this.startOf(number + 1);
  }

  private price = ({ plan, quantity } = this.terms): number => plan.price * quantity;

  /** An invoice of the current period, which uses up credit or adds to it. */
  private made(kind: ModelInvoice["kind"], total: number): ModelInvoice {
    const creditUsed = Math.max(0, Math.min(this.credit, total));
    this.credit += Math.max(0, -total) - creditUsed;
    const due = Math.max(0, total) - creditUsed;
    const period = { number: this.number, start: this.start, end: this.end };
    return { kind, ...period, total, creditUsed, due, status: "OPEN", attempts: 0, step: 0, next: null };
  }

  get isRunning(): boolean {
    return this.status === "TRIALING" || this.status === "ACTIVE" || this.status === "PAST_DUE";
  }

  private isUnpaid = () => this.open().some(({ attempts, next }) => attempts > 0 || next === null);

  private open = () => this.invoices.filter(({ status }) => status === "OPEN");

  /** The next time at which it changes by itself. */
  nextDue(): string | null {
    if (!this.isRunning) return null;
    const notice = this.status === "TRIALING" && this.number === 0 && !this.isAnnounced ? this.noticeAt() : this.end;
    const times = [notice, ...this.open().flatMap(({ next }) => next ?? [])];
    return times.sort()[0] ?? null;
  }

  private noticeAt = () => new Date(Date.parse(this.end) - 3 * 86_400_000).toISOString();

  /** Does everything that is due by `now`. */
  run(now: string): void {
    for (let due = this.nextDue(); due !== null && due <= now; due = this.nextDue()) {
      if (this.status === "TRIALING" && !this.isAnnounced && now < this.end) this.isAnnounced = true;
      else if (this.end <= now) this.turn(now);
      else
        for (const invoice of this.open())
          if (invoice.next !== null && invoice.next <= now) this.try(invoice, now, true);
    }
  }

  private turn(now: string): void {
    if (this.cancelsAtEnd) {
      this.finish(null);
      return;
    }
    const next = this.pending;
    const isSame = next === null || this.isSameInterval(next.plan);
    if (!isSame) this.anchor = this.end;
    const number = isSame ? this.number + 1 : 1;
    this.terms = next ?? this.terms;
    this.pending = null;
    this.begin(number);
    const invoice = this.made("PERIOD", this.price());
    this.invoices.push(invoice);
    if (invoice.due === 0) {
      invoice.status = "PAID";
      if (this.status === "TRIALING") this.status = "ACTIVE";
    } else invoice.next = now;
  }

  private isSameInterval = ({ value, unit }: ModelPlan): boolean =>
    value === this.terms.plan.value && unit === this.terms.plan.unit;

  private finish(reason: string | null): void {
    for (const invoice of this.open()) {
      invoice.status = "VOID";
      invoice.next = null;
      this.credit += invoice.creditUsed;
    }
    this.status = "CANCELLED";
    this.reason = reason;
    this.pending = null;
    this.cancelsAtEnd = false;
  }

  /** Charges an invoice. False: declined. */
  try(invoice: ModelInvoice, now: string, isAutomatic: boolean): boolean {
    if (isAutomatic && this.isRefused) {
      invoice.next = null;
      this.status = "PAST_DUE";
      return false;
    }
    invoice.attempts++;
    if (this.card === "good") {
      invoice.status = "PAID";
      invoice.next = null;
      const isUnpaid = this.isUnpaid();
      if (this.status === "TRIALING" || (this.status === "PAST_DUE" && !isUnpaid)) this.status = "ACTIVE";
      return true;
    }
    if (this.isRunning) this.status = "PAST_DUE";
    if (this.card === "stolen") {
      this.isRefused = true;
      invoice.next = null;
    }
    if (!isAutomatic || this.isRefused) return false;
    const days = this.dunning.steps[invoice.step];
    invoice.step++;
    invoice.next = days === undefined ? null : this.after(now, { days });
    if (days === undefined && this.dunning.after === "CANCEL") {
      invoice.status = "UNCOLLECTIBLE";
      this.finish("payment_failed");
    }
    return false;
  }

  /** Moves the trial's end, which is the anchor, and announces it again if more than 3 days are left. */
  extend(end: string, now: string): boolean {
    if (this.status !== "TRIALING" || this.number !== 0) return false;
    this.end = end;
    this.anchor = end;
    if (this.noticeAt() > now) this.isAnnounced = false;
    return true;
  }

  cancel(reason: string): boolean {
    if (this.status === "CANCELLED") return false;
    this.finish(reason);
    return true;
  }

  pause(): boolean {
    if (!this.isRunning) return false;
    this.status = "PAUSED";
    for (const invoice of this.open()) invoice.next = null;
    return true;
  }

  /** 200, 402 or 409. */
  resume(now: string): number {
    if (this.status !== "PAUSED") return 409;
    const before = this.saved();
    const left = this.open();
    this.terms = this.pending ?? this.terms;
    this.pending = null;
    this.anchor = now;
    this.begin(1);
    return this.charge(this.made("PERIOD", this.price()), before, () => {
      this.status = "ACTIVE";
      for (const invoice of left) invoice.next = now;
    });
  }

  private saved = () => {
    const { terms, billed, pending, anchor, number, start, end, credit } = this;
    return { terms, billed, pending, anchor, number, start, end, credit };
  };

  private charge(invoice: ModelInvoice, before: object, then: () => void): number {
    if (invoice.due > 0 && this.card !== "good") {
      Object.assign(this, before);
      return 402;
    }
    this.invoices.push({ ...invoice, status: "PAID", attempts: invoice.due > 0 ? 1 : 0 });
    then();
    return 200;
  }

  changeLater(terms: Terms): number {
    if (!this.isRunning) return 409;
    this.pending = terms;
    return 200;
  }

  changeNow(terms: Terms, proration: "credit" | "none", now: string): number {
    if (this.status !== "TRIALING" && this.status !== "ACTIVE") return 409;
    const before = this.saved();
    if (this.status === "TRIALING") {
      this.terms = terms;
      this.pending = null;
      return 200;
    }
    // The unused part of a period that nobody paid, such as one whose invoice was voided, can't be credited.
    const isPaid = this.invoices.some(
      ({ kind, start, status }) => kind === "PERIOD" && start === this.start && status === "PAID",
    );
    if (!isPaid) return 409;
    const unused = (of: Terms) => share(this.price(of), this.start, this.end, now);
    const old = unused(this.billed);
    if (this.isSameInterval(terms.plan)) {
      const total = unused(terms) - old;
      const invoice = proration === "none" ? null : this.made("CHANGE", total);
      this.terms = terms;
      if (invoice !== null) this.billed = terms;
      this.pending = null;
      return invoice === null ? 200 : this.charge(invoice, before, () => {});
    }
    this.terms = terms;
    this.pending = null;
    this.anchor = now;
    this.begin(1);
    return this.charge(this.made("PERIOD", this.price() - (proration === "none" ? 0 : old)), before, () => {});
  }

  setCard(card: ModelCard, now: string): boolean {
    if (this.status === "CANCELLED") return false;
    if (card === this.card) return true;
    this.card = card;
    this.isRefused = false;
    if (this.isRunning) for (const invoice of this.open()) invoice.next = now;
    return true;
  }

  retry(now: string): number {
    if (this.status !== "PAST_DUE") return 409;
    const [invoice] = this.open();
    if (!invoice) return 409;
    return this.try(invoice, now, false) ? 200 : 402;
  }

  /** Ends the oldest unpaid invoice. */
  endInvoice(to: "VOID" | "UNCOLLECTIBLE"): ModelInvoice | null {
    const [invoice] = this.open();
    if (!invoice) return null;
    invoice.status = to;
    invoice.next = null;
    if (to === "UNCOLLECTIBLE") return invoice;
    this.credit += invoice.creditUsed;
    if (this.status === "PAST_DUE" && !this.isUnpaid()) this.status = "ACTIVE";
    return invoice;
  }
}

/**
 * The part of an amount from `at` to the end, by the second, halves to even; with decimal digits instead of
 * remainders.
 */
function share(amount: number, start: string, end: string, at: string): number {
  const seconds = (text: string) => Math.floor(DateTime.fromISO(text).toSeconds());
  const whole = seconds(end) - seconds(start);
  const left = Math.min(whole, Math.max(0, seconds(end) - seconds(at)));
  const halves = (BigInt(amount) * BigInt(left) * 2n) / BigInt(whole);
  const isExact = (BigInt(amount) * BigInt(left) * 2n) % BigInt(whole) === 0n;
  const floor = halves / 2n;
  if (halves % 2n === 0n) return Number(floor);
  return Number(isExact && floor % 2n === 0n ? floor : floor + 1n);
}
