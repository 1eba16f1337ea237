/** Attempts to pay one client session. Without zod, which the payment form's bundle lacks. */
import type { ClientSessionStatus } from "./client-session";

export const MAX_SESSION_ATTEMPTS = 5;

export const attemptsLeft = (attempts: number): number => Math.max(0, MAX_SESSION_ATTEMPTS - attempts);

type SessionProgress = { status: ClientSessionStatus; under_way: boolean; attempts: number };

/** Detail that the status lacks; null if there is none. */
export function sessionHint({ status, under_way, attempts }: SessionProgress): string | null {
  if (under_way) return "Payment in progress";
  return status === "OPEN" && attempts >= MAX_SESSION_ATTEMPTS ? "No attempts left" : null;
}
