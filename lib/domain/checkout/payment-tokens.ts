import type { Orm } from "@/db/client";
import {
  clearOldPaymentTokens,
  deleteOldPaymentTokens,
  insertPaymentToken,
} from "@/db/queries/checkout/payment-tokens";
import { encodeId } from "@/lib/contract/ids";
import { idTime, newId } from "@/lib/ids";
import type { TokenizedCard } from "@/lib/processor/cards";
import type { Connected } from "@/lib/processor/registry";
import type { Context, Service } from "../context";

const LIFE_MS = 15 * 60 * 1000;

/** The shopper's entries beside the card. `clientSessionId` is a UUID. */
type TokenDetails = { name: string | null; postalCode: string | null; clientSessionId: string | null };

/**
 * Stores a card at the processor, as a token for one payment
 * within 15 minutes. Number and CVV are not stored here.
 */
export async function createPaymentToken(
  ctx: Context,
  orm: Orm,
  { token, at, ...card }: TokenizedCard & { at: Connected },
  { name, postalCode, clientSessionId }: TokenDetails,
): Promise<{ id: string; expires_at: string }> {
  const id = newId();
  const created_at = idTime(id);
  const expires_at = new Date(Date.parse(created_at) + LIFE_MS).toISOString();
  await insertPaymentToken(orm, ctx.environment.id, {
    id,
    processor_token: token,
    connection_id: at.connectionId,
    card_brand: card.brand,
    card_last4: card.last4,
    card_bin: card.bin,
    card_exp_month: card.exp_month,
    card_exp_year: card.exp_year,
    card_name: name,
    postal_code: postalCode,
    client_session_id: clientSessionId,
    expires_at,
    created_at,
  });
  return { id: encodeId("paymentToken", id), expires_at };
}

/** Rows per statement, so that locks are short. */
const BATCH_ROWS = 5_000;

/**
 * Deletes card data that is no longer needed, in every environment: the processor's token 15 minutes after
 * creation, the row a day later, so that late use gets a clear refusal, and sandbox attempts that no fraud
 * rule counts. Returns the number deleted: call again until it is 0. Safe to run concurrently.
 */
export async function forgetOldCards({
  db,
  processors,
}: {
  readonly db: Service["db"];
  readonly processors: Service["processors"];
}): Promise<number> {
  const attempts = (await processors.builtIn("test")?.forgetOldAttempts()) ?? 0;
  const cleared = await clearOldPaymentTokens(db.orm, BATCH_ROWS);
  const deleted = await deleteOldPaymentTokens(db.orm, BATCH_ROWS);
  return attempts + cleared + deleted;
}
