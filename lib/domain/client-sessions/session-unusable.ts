import type { CheckoutRow } from "@/db/queries/checkout";
import { AppError } from "@/lib/contract/errors";

/** The refusal of an attempt that came when the session was paid, closed, or busy with another payment. */
export function sessionUnusable({ status }: Pick<CheckoutRow, "status">): AppError {
  return new AppError(
    "invalid_state",
    "This payment session takes no payment now: it is paid, closed, or another payment is under way. Look at its state.",
    { extra: { current_status: status, allowed_actions: [] } },
  );
}
