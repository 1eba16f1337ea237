import type { CheckoutRow } from "@/db/queries/checkout";
import { findKey } from "@/db/queries/idempotency-claims";
import { CLIENT_SESSION_ATTEMPTS } from "@/lib/contract/checkout/client-session";
import { AppError } from "@/lib/contract/errors";
import type { Context } from "../context";
import { keyOf, refuseUnclaimed } from "../payments/money-request";
import type { Checkout } from "./find-checkout";
import { clientSessionStatus } from "./present-client-session";

/** The refusal of an attempt that came when the session was paid, closed, or busy with another payment. */
export function sessionUnusable({ status }: Pick<CheckoutRow, "status">): AppError {
  return new AppError(
    "invalid_state",
    "This payment session takes no payment now: it is paid, closed, or another payment is under way. Look at its state.",
    { extra: { current_status: status, allowed_actions: [] } },
  );
}

/**
 * Throws unless the session can be paid, before its card goes anywhere. An attempt that was made already passes: what became
 * of it is to be told, whatever has changed since. What it finds is an early no; the yes is the guard's, in T1.
 */
export async function requireUsable(ctx: Context, { row }: Checkout): Promise<void> {
  const refusal = refusalOf(ctx, row);
  if (!refusal || !(await isNewAttempt(ctx))) return;
  // A session that is busy may be free again: an attempt that was refused meanwhile must not pay when it comes once more.
  const isBusy = refusal.code === "invalid_state" && row.open_payment_id !== null;
  if (isBusy) {
    const reply = await refuseUnclaimed(ctx, refusal);
    // Not our refusal: the same attempt was begun meanwhile, and whoever went on with it, perhaps this request, answers for it.
    if (reply.replayed || reply.status !== refusal.status) return;
  }
  throw refusal;
}

/** Whether nothing is known of the attempt's key: it was not made before. */
export async function isNewAttempt(ctx: Context): Promise<boolean> {
  return (await findKey(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, keyOf(ctx).key)) === null;
}

function refusalOf(ctx: Context, row: CheckoutRow): AppError | null {
  if (row.suspended) {
    return new AppError("merchant_suspended", "This shop cannot take payments at the moment. Nothing was charged.");
  }
  const open = clientSessionStatus(row, ctx.service.clock.now()) === "OPEN" && row.open_payment_id === null;
  if (!open || row.attempts >= CLIENT_SESSION_ATTEMPTS) return sessionUnusable(row);
  if (row.plan_status !== null && row.plan_status !== "ACTIVE") {
    return new AppError("plan_not_active", "This is no longer for sale. Nothing was charged.");
  }
  return null;
}
