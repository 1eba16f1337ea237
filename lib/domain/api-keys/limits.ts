import type { Orm } from "@/db/client";
import { addLimitUse, findLimitUse, type LimitUse } from "@/db/queries/api-keys";
import type { KeyLimits } from "@/lib/contract/api-keys/api-keys";
import { formatMinor } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { countLaterAlone } from "../approvals/rules";
import type { Context } from "../context";

/** The refusal of a refund by its key's limits, as T1's guard decides it; null if they allow it. */
export function limitRefusal(
  { limits, refunds, amount: refunded, resets_at }: LimitUse,
  { amount, currency }: { amount: number; currency: string },
): AppError | null {
  const { refund_max, refunds_per_day, refund_amount_per_day } = limits;
  const refused = (limit: keyof KeyLimits, detail: string, remaining: number, resets: string | null) =>
    new AppError("limit_exceeded", detail, { extra: { limit, remaining, resets_at: resets } });
  const again = `Its limit is free again at ${resets_at}.`;
  if (limits.currency !== null && limits.currency !== currency) {
    const detail = `This key may refund only ${limits.currency}, and the payment is in ${currency}. Use another key or the dashboard.`;
    return refused("currency", detail, 0, null);
  }
  if (refund_max !== null && amount > refund_max) {
    const detail = `This key may refund at most ${formatMinor(refund_max, currency)} at once. Send that amount or less, or use the dashboard.`;
    return refused("refund_max", detail, refund_max, null);
  }
  if (refunds_per_day !== null && refunds >= refunds_per_day) {
    const detail =
      refunds_per_day === 0
        ? "This key may make no refunds. Use another key or the dashboard."
        : `This key has made its ${refunds_per_day} refunds of the day. ${again}`;
    return refused("refunds_per_day", detail, 0, refunds_per_day === 0 ? null : resets_at);
  }
  if (refund_amount_per_day !== null && refunded + amount > refund_amount_per_day) {
    const remaining = Math.max(0, refund_amount_per_day - refunded);
    const detail = `This key may refund ${formatMinor(remaining, currency)} more today. ${again}`;
    return refused("refund_amount_per_day", detail, remaining, resets_at);
  }
  return null;
}

/**
 * Counts a refund that starts after this transaction against the limits of the caller's API key, or the rule
 * for a member's role. Throws `limit_exceeded` or `permission_denied` if they refuse it.
 */
export async function countLaterRefund(
  ctx: Context,
  tx: Orm,
  refund: { amount: number; currency: string },
): Promise<void> {
  const { actor, environment } = ctx;
  if (actor.type === "user" && actor.id !== null) return countLaterAlone(ctx, tx, actor.id, refund);
  if (actor.type !== "api_key" || actor.id === null) return;
  const use = await findLimitUse(tx, environment.id, actor.id, { lock: true });
  if (!use) return;
  const refused = limitRefusal(use, refund);
  if (refused) throw refused;
  await addLimitUse(tx, environment.id, actor.id, use, refund.amount);
}
