import type { Payment } from "@/lib/contract/payments/payment";
import type { Ending, Order } from "./orders";
import type { SentOrder } from "./send-order";

/** A payment's money in one of the three books, in minor units. */
type Money = { captured: number; refunded: number };

/** The database's view of the file's payments. */
export type LedgerBook = { byPayment: Map<string, Money & { currency: string }>; chargesPerKey: Map<string, number> };

/** An order with its outcome. `payment` is the API's response, or null without one. */
export type Reconciled = { sent: SentOrder; payment: Payment | null };

export type Mismatch = { line: number; key: string; problem: string };

const expectedMoney = ({ ending, amount }: Pick<Order, "ending" | "amount">): Money => ({
  captured: ending === "CAPTURED" || ending === "REFUNDED" ? amount : 0,
  refunded: ending === "REFUNDED" ? amount : 0,
});

/** A settled payment counts as captured: a batch may have settled it in the meantime. */
function endingOfPayment(payment: Pick<Payment, "status">): Ending | Payment["status"] {
  return payment.status === "SETTLED" ? "CAPTURED" : payment.status;
}

/**
 * All differences between file, API and ledger, order by order, to the minor unit. `ledger`: null if it
 * wasn't read.
 */
export function compareBooks(rows: readonly Reconciled[], ledger: LedgerBook | null): Mismatch[] {
  const linesOfPayment = new Map<string, number>();
  return rows.flatMap(({ sent, payment }) => {
    const { order } = sent;
    const problems = [
      ...(sent.failure === null ? [] : [sent.failure]),
      ...(payment
        ? compareWithApi(order, payment)
        : sent.failure === null
          ? ["the API does not know its payment"]
          : []),
      ...(payment && ledger ? compareWithLedger(order, payment, ledger) : []),
    ];
    if (payment) {
      const other = linesOfPayment.get(payment.id);
      if (other !== undefined) problems.push(`has the same payment as line ${other}`);
      linesOfPayment.set(payment.id, order.line);
    }
    return problems.map((problem) => ({ line: order.line, key: order.key, problem }));
  });
}

function compareWithApi(order: Order, payment: Payment): string[] {
  const expected = {
    ...expectedMoney(order),
    status: order.ending,
    amount: order.amount,
    currency: order.currency,
    customer_id: order.customer_id,
  };
  const actual = {
    captured: payment.amount_captured,
    refunded: payment.amount_refunded,
    status: endingOfPayment(payment),
    amount: payment.amount,
    currency: payment.currency,
    customer_id: payment.customer_id,
  };
  return (Object.keys(expected) as (keyof typeof expected)[])
    .filter((member) => expected[member] !== actual[member])
    .map((member) => `${member} is ${expected[member]} in the file and ${actual[member]} in the API (${payment.id})`);
}

function compareWithLedger(order: Order, payment: Payment, ledger: LedgerBook): string[] {
  const expected = expectedMoney(order);
  const booked = ledger.byPayment.get(payment.id) ?? { captured: 0, refunded: 0, currency: order.currency };
  const problems = (["captured", "refunded"] as const)
    .filter((member) => expected[member] !== booked[member])
    .map(
      (member) => `${member} is ${expected[member]} in the file and ${booked[member]} in the ledger (${payment.id})`,
    );
  if (booked.currency !== order.currency) problems.push(`the ledger has it in ${booked.currency} (${payment.id})`);
  const charges = ledger.chargesPerKey.get(order.key) ?? 1;
  if (charges > 1) problems.push(`was charged ${charges} times`);
  return problems;
}

export type StatusRow = { status: string; currency: string; file: Sum; api: Sum };
export type MoneyRow = { currency: string; what: keyof Money; file: number; api: number; ledger: number | null };
type Sum = { count: number; amount: number };

/** Payments per status and currency, as expected by the file and as reported by the API. */
export function sumByStatus(rows: readonly Reconciled[]): StatusRow[] {
  const sums = new Map<string, StatusRow>();
  const at = (status: string, currency: string) => {
    const name = `${status} ${currency}`;
    const row = sums.get(name) ?? { status, currency, file: { count: 0, amount: 0 }, api: { count: 0, amount: 0 } };
    sums.set(name, row);
    return row;
  };
  const add = (sum: Sum, amount: number) => {
    sum.count += 1;
    sum.amount += amount;
  };
  for (const { sent, payment } of rows) {
    add(at(sent.order.ending, sent.order.currency).file, sent.order.amount);
    if (payment) add(at(endingOfPayment(payment), payment.currency).api, payment.amount);
  }
  return [...sums.values()].sort((a, b) => `${a.status} ${a.currency}`.localeCompare(`${b.status} ${b.currency}`));
}

/** Money per currency in all three books; `ledger` is null if the database could not be read. */
export function sumByCurrency(rows: readonly Reconciled[], ledger: LedgerBook | null): MoneyRow[] {
  const currencies = [...new Set(rows.map((row) => row.sent.order.currency))].sort();
  return currencies.flatMap((currency) =>
    (["captured", "refunded"] as const).map((what) => {
      const row: MoneyRow = { currency, what, file: 0, api: 0, ledger: ledger ? 0 : null };
      for (const { sent, payment } of rows) {
        if (sent.order.currency === currency) row.file += expectedMoney(sent.order)[what];
        if (payment?.currency === currency)
          row.api += what === "captured" ? payment.amount_captured : payment.amount_refunded;
        const booked = payment && ledger?.byPayment.get(payment.id);
        if (booked?.currency === currency && row.ledger !== null) row.ledger += booked[what];
      }
      return row;
    }),
  );
}
