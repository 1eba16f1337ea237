import type { SessionListItem } from "@/lib/contract/dashboard/checkout";

/** The shopper's tries to pay one session: CLIENT_SESSION_ATTEMPTS, which stands beside zod. */
export const MAX_ATTEMPTS = 5;

/** What the status alone does not say; null when there is nothing to add. */
export function sessionHint({
  status,
  under_way,
  attempts,
}: Pick<SessionListItem, "status" | "under_way" | "attempts">): string | null {
  if (under_way) return "Payment under way";
  return status === "OPEN" && attempts >= MAX_ATTEMPTS ? "No tries left" : null;
}

/** Whom it is for, by what is known best; null when the session names nobody. */
export const customerText = (session: {
  customer_name: string | null;
  customer_email: string | null;
  customer_id: string | null;
}): string | null => session.customer_name ?? session.customer_email ?? session.customer_id;
