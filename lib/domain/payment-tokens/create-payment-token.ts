import { insertPaymentToken } from "@/db/queries/payment-tokens";
import { encodeId } from "@/lib/contract/ids";
import type { CardInput } from "@/lib/contract/payment";
import type { CardBrand } from "@/lib/contract/transaction-words";
import { idTime, newId } from "@/lib/ids";
import type { Context } from "../context";
import { processorNotConfigured } from "../payments/processor-not-configured";

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
  const { token, fingerprint, brand, bin, last4, exp_month, exp_year } = await processor.tokenize(input.card);
  const id = newId();
  const created_at = idTime(id);
  const expires_at = new Date(Date.parse(created_at) + LIFE_MS).toISOString();
  await insertPaymentToken(ctx.service.db.orm, ctx.environment.id, {
    id,
    processor_token: token,
    card_brand: brand,
    card_last4: last4,
    card_bin: bin,
    card_exp_month: exp_month,
    card_exp_year: exp_year,
    card_fingerprint: fingerprint,
    client_session_id: input.clientSessionId ?? null,
    expires_at,
    created_at,
  });
  return { id: encodeId("paymentToken", id), card: { brand, last4, exp_month, exp_year, bin }, expires_at };
}
