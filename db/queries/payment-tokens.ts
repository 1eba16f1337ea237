import { and, eq } from "drizzle-orm";
import type { Orm } from "../client";
import { type PaymentTokenRow, paymentTokens } from "../schema/client-sessions";

/** Its one use is claimed where the payment is made, in the same statement. */
export async function insertPaymentToken(
  orm: Orm,
  environmentId: string,
  token: Omit<PaymentTokenRow, "environment_id" | "payment_id">,
): Promise<void> {
  await orm.insert(paymentTokens).values({ environment_id: environmentId, ...token });
}

export async function findPaymentToken(orm: Orm, environmentId: string, id: string): Promise<PaymentTokenRow | null> {
  const [row] = await orm
    .select()
    .from(paymentTokens)
    .where(and(eq(paymentTokens.environment_id, environmentId), eq(paymentTokens.id, id)));
  return row ?? null;
}
