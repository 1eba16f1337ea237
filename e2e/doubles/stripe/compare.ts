import type { Database, Sql } from "@/db/client";
import { fromStripe } from "@/lib/processor/stripe/amounts";
import { METADATA } from "@/lib/processor/stripe/outcomes";
import { type BookRows, faultsOfBooks, writeDoubleBooks } from "../../fixtures/double-books";
import type { Double } from "./double";

const SCHEMA = "stripe_processor";

export const writeBooks = (sql: Sql, doubles: readonly Double[]): Promise<void> =>
  writeDoubleBooks(sql, SCHEMA, doubles.map(rowsOf));

/** Differences between our books and the doubles', which must together hold all payments in the database. */
export const faultsOfDoubles = (db: Database, doubles: readonly Double[]): Promise<unknown[]> =>
  faultsOfBooks(db, SCHEMA, doubles.map(rowsOf));

function rowsOf({ books }: Double): BookRows {
  const charges: BookRows["charges"] = [];
  const operations: BookRows["operations"] = [];
  for (const intent of books.intents.values()) {
    const { [METADATA.reference]: reference, [METADATA.account]: account } = intent.metadata;
    if (reference === undefined) continue;
    const minor = (units: number) => fromStripe({ amount: units, currency: intent.currency }).amount;
    const charge = books.charges.get(String(intent.latest_charge));
    const { amount, currency } = fromStripe(intent);
    const isAuthorized = charge?.status === "succeeded";
    const wasVoided = isAuthorized && intent.status === "canceled";
    const named = { account, charge: reference, currency };
    // A payment closed before its authorization was known is released and counts as closed.
    const wasClosed = wasVoided && intent.metadata[METADATA.void] === undefined;
    const declined = intent.last_payment_error || (intent.status === "canceled" && intent.payment_method !== null);
    charges.push({
      reference,
      account,
      amount,
      currency,
      outcome: wasClosed
        ? "closed"
        : isAuthorized
          ? "approved"
          : declined
            ? "declined"
            : intent.status === "requires_action"
              ? "action_required"
              : "closed",
      challenged: intent.payment_method === null || charge?.payment_method_details?.card?.three_d_secure != null,
      amount_captured: minor(intent.amount_received),
      amount_refunded: wasVoided ? 0 : minor(charge?.amount_refunded ?? 0),
      voided: wasVoided && !wasClosed,
    });
    const captured = intent.metadata[METADATA.capture];
    if (captured !== undefined && intent.status === "succeeded")
      operations.push({
        ...named,
        reference: captured,
        kind: "capture",
        amount: minor(intent.amount_received),
        outcome: "approved",
      });
    if (wasVoided && !wasClosed)
      operations.push({
        ...named,
        reference: intent.metadata[METADATA.void],
        kind: "void",
        amount,
        outcome: "approved",
      });
    // Refunds made in Stripe's dashboard have no reference of ours; they count in the charge's refunded
    // amount.
    for (const refund of books.refunds.values())
      if (refund.payment_intent === intent.id && refund.metadata?.[METADATA.reference])
        operations.push({
          ...named,
          reference: refund.metadata?.[METADATA.reference],
          kind: "refund",
          amount: minor(refund.amount),
          outcome: refund.status === "succeeded" ? "approved" : refund.status,
        });
  }
  return { charges, operations };
}
