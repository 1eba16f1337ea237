import type { Database, Sql } from "@/db/client";
import { fromAdyenAmount } from "@/lib/processor/adyen/amounts";
import { type BookRows, faultsOfBooks, writeDoubleBooks } from "../../fixtures/double-books";
import type { AdyenDouble } from "./api";

const SCHEMA = "adyen_processor";

export const writeAdyenBooks = (sql: Sql, double: AdyenDouble): Promise<void> =>
  writeDoubleBooks(sql, SCHEMA, [rowsOf(double)]);

/** Differences between the double's books and ours. */
export const faultsOfAdyen = (db: Database, double: AdyenDouble): Promise<unknown[]> =>
  faultsOfBooks(db, SCHEMA, [rowsOf(double)]);

const OUTCOMES = { authorised: "approved", refused: "declined", challenged: "action_required" } as const;
const KINDS = { capture: "capture", cancel: "void", refund: "refund" } as const;
const ENDS = { received: "pending", done: "approved", refused: "declined", failed: "failed" } as const;

function rowsOf({ books }: AdyenDouble): BookRows {
  const charges = [...books.payments.values()].map((payment) => {
    const { reference, amount, state, captured, refunded, voided } = payment;
    return {
      reference,
      account: null,
      amount: minor(amount),
      currency: amount.currency,
      voided,
      outcome: OUTCOMES[state],
      challenged: payment.behavior === "challenge",
      amount_captured: minor({ ...amount, value: captured }),
      amount_refunded: minor({ ...amount, value: refunded }),
    };
  });
  const operations = books.modifications.map(({ kind, payment, reference, amount, state }) => ({
    reference,
    account: null,
    kind: KINDS[kind],
    charge: payment.reference,
    amount: minor(amount),
    currency: amount.currency,
    outcome: ENDS[state],
  }));
  return { charges, operations };
}

function minor(amount: { value: number; currency: string }): number {
  const units = fromAdyenAmount(amount);
  if (units === null) throw new Error(`the double holds ${amount.value} ${amount.currency}, which we never send`);
  return units;
}
