import type { Orm } from "@/db/client";
import { insertPaymentToken } from "@/db/queries/payment-tokens";
import { encodeId } from "@/lib/contract/ids";
import type { CardInput } from "@/lib/contract/payments/payment";
import type { CardBrand } from "@/lib/contract/transactions/words";
import { idTime, newId } from "@/lib/ids";
import type { TokenizedCard } from "@/lib/processor/port";
import type { Context } from "../context";
import { processorNotConfigured } from "../payments/processor-not-configured";
import { tokenizeCard } from "../payments/tokenize-card";

const LIFE_MS = 15 * 60 * 1000;

export type PaymentToken = {
  /** `tok_…` */
  id: string;
  card: { brand: CardBrand | null; last4: string; exp_month: number; exp_year: number; bin: string };
  expires_at: string;
};

/** A card, held by the processor, as a token for one payment within 15 minutes. Number and CVV are not kept here. */
export async function createPaymentToken(
  ctx: Context,
  input: { card: CardInput /** UUID. */; clientSessionId?: string | null },
): Promise<PaymentToken> {
  const processor = ctx.service.processors.processorFor(ctx.environment.mode);
  if (processor === null) throw processorNotConfigured();
  const card = await tokenizeCard(processor, ctx.environment.id, input.card);
  const details = { name: input.card.name ?? null, postalCode: null, clientSessionId: input.clientSessionId ?? null };
  return insertNewPaymentToken(ctx, ctx.service.db.within(ctx.environment.id).orm, card, details);
}

/** What was typed beside a card. `clientSessionId` is a UUID. */
export type TokenDetails = { name: string | null; postalCode: string | null; clientSessionId: string | null };

/** The same for a card that the processor has already, within a transaction. */
export async function insertNewPaymentToken(
  ctx: Context,
  orm: Orm,
  { token, ...card }: TokenizedCard,
  { name, postalCode, clientSessionId }: TokenDetails,
): Promise<PaymentToken> {
  const id = newId();
  const created_at = idTime(id);
  const expires_at = new Date(Date.parse(created_at) + LIFE_MS).toISOString();
  await insertPaymentToken(orm, ctx.environment.id, {
    id,
    processor_token: token,
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
  return { id: encodeId("paymentToken", id), card, expires_at };
}
