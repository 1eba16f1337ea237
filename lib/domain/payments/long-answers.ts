import { findStoredAnswer, LONG_ANSWER } from "@/db/queries/idempotency-claims";
import type { PaymentSnapshot } from "@/db/queries/payments";
import { AppError } from "@/lib/contract/errors";
import { createPlaces } from "@/lib/places";
import type { Context, Reply } from "../context";

/**
 * A payment with hundreds of refunds and much metadata is answered with megabytes. Such answers are made few at once, whoever's
 * they are, and are not held until they can be sent: they are read again, from the key that keeps them, when there is room.
 */
const AT_ONCE = 2;
/** A transaction without its metadata, as JSON, or so. */
const USUAL_LENGTH = 1_500;

const places = createPlaces(AT_ONCE);

/** About how long its JSON is: refunds are shown with their charge's metadata. */
export function lengthOf({ transactions }: { transactions: readonly { metadata: unknown }[] }): number {
  return transactions.length * (JSON.stringify(transactions[0]?.metadata ?? {}).length + USUAL_LENGTH);
}

/** Makes the answer of a payment, in turn when it is long. */
export const inTurnWhenLong = <T>(snapshot: PaymentSnapshot, make: () => Promise<T>): Promise<T> =>
  lengthOf(snapshot) > LONG_ANSWER ? places.inTurn(make) : make();

/** The stored answer of the operation under a key, to be read when it can be sent. */
export function longReply(
  ctx: Context,
  stored: { key: string; operationId: string | null; status: number; bytes: number },
  replayed: boolean,
): Reply {
  const { key, operationId, status, bytes } = stored;
  const read = async () => {
    const { sql } = ctx.service.db.within(ctx.environment.id);
    const body = await findStoredAnswer(sql, ctx.environment.id, key, operationId);
    if (body !== null) return body;
    throw new AppError("idempotency_request_in_progress", "The key has just expired. Send the request with a new one.");
  };
  return { status, body: "", replayed, long: { bytes, read } };
}
