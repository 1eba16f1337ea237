import type { Customer } from "@/lib/contract/customers/customer";
import type { Payment } from "@/lib/contract/payments/payment";
import type { Transaction } from "@/lib/contract/transactions/transaction";

/** An object as a response showed it. */
export type Shown = { readonly id: string; readonly updated_at: string };

/** Objects with the time of their last change. */
const DATED: ReadonlySet<unknown> = new Set(["dispute", "payment_method", "subscription", "invoice", "payout"]);

/**
 * Everything that anybody was shown up to now. A read that begins later must not be older, whoever reads and in whichever
 * process.
 */
export class Knowledge {
  /** The latest change of each object, by its id. */
  readonly changes = new Map<string, string>();
  /** Payments that were captured, and refunds that were accepted. */
  readonly captured = new Set<string>();
  readonly refunded = new Set<string>();
  /** Charges that were captured, and refunds that were accepted: each has a movement of the balance. */
  readonly booked = new Set<string>();
  /** The number of events of each payment. */
  readonly events = new Map<string, number>();
  /** The merchant's own id of each payment's customer. */
  readonly customerOf = new Map<string, string>();
  /** The number of payments of each customer that a job has derived, by the customer's id. */
  readonly customers = new Map<string, number>();

  /** Reads a response; others than objects are ignored. */
  learn(shown: object): void {
    if (!("object" in shown)) return;
    if (shown.object === "payment") this.#learnPayment(shown as Payment);
    if (shown.object === "transaction") this.#learnTransaction(shown as Transaction);
    if (shown.object === "customer") this.#learnCustomer(shown as Customer);
    if (DATED.has(shown.object)) this.note(shown as unknown as Shown);
  }

  #learnPayment(payment: Payment): void {
    this.note(payment);
    if (payment.amount_captured > 0) this.captured.add(payment.id);
    if (payment.customer_id !== null) this.customerOf.set(payment.id, payment.customer_id);
    for (const transaction of payment.transactions) this.#learnTransaction(transaction);
  }

  #learnTransaction(transaction: Transaction): void {
    this.note(transaction);
    const { id, type, status } = transaction;
    if (status !== "CAPTURED" && status !== "SETTLED") return;
    this.booked.add(id);
    if (type === "REFUND") this.refunded.add(id);
  }

  #learnCustomer({ id, payments }: Customer): void {
    this.customers.set(id, Math.max(payments, this.customers.get(id) ?? 0));
  }

  note({ id, updated_at }: Shown): void {
    if (updated_at > (this.changes.get(id) ?? "")) this.changes.set(id, updated_at);
  }

  copy(): Knowledge {
    const copy = new Knowledge();
    for (const [id, at] of this.changes) copy.changes.set(id, at);
    for (const id of this.captured) copy.captured.add(id);
    for (const id of this.refunded) copy.refunded.add(id);
    for (const id of this.booked) copy.booked.add(id);
    for (const [id, count] of this.events) copy.events.set(id, count);
    for (const [id, customer] of this.customerOf) copy.customerOf.set(id, customer);
    for (const [id, payments] of this.customers) copy.customers.set(id, payments);
    return copy;
  }
}
