import type { CheckoutFailure, CheckoutState } from "@/lib/contract/checkout";
import type { CheckoutPhase, ClosedReason, NoticeKey } from "./checkout-view";

/** Where a state leads the form. `code`: what the embedding page is told of a failed attempt; null for nothing. */
export type Move =
  | { to: "stay" }
  | { to: "done" }
  | { to: "processing" }
  | { to: "challenge"; url: string }
  | { to: "closed"; reason: ClosedReason }
  | { to: "form"; notice: NoticeKey | null; code: CheckoutFailure | null; exhausted: boolean };

/** load: what the page came with. look: nobody's attempt. answer: what the form's own attempt has led to. */
export type Source = "load" | "look" | "answer";

const RETURNED: ReadonlySet<string> = new Set(["VOIDED", "REFUNDED"]);

export function sessionMove(state: CheckoutState, phase: CheckoutPhase, source: Source): Move {
  switch (state.status) {
    case "COMPLETED":
      // Who opens a link again months later is not to read "paid" of money that went back.
      return RETURNED.has(state.payment?.status ?? "") ? { to: "closed", reason: "returned" } : { to: "done" };
    case "PROCESSING":
      return { to: "processing" };
    case "REQUIRES_ACTION":
      return state.action ? { to: "challenge", url: state.action.url } : { to: "processing" };
    case "EXPIRED":
      // A session is also over when its attempts are: the last one's own answer says how it failed.
      return state.attempts_left > 0 ? { to: "closed", reason: "expired" } : unpaidMove(state, phase, source);
    case "CANCELLED":
      return { to: "closed", reason: "cancelled" };
    case "OPEN":
      return unpaidMove(state, phase, source);
    default:
      return state.status satisfies never;
  }
}

function unpaidMove({ failure, attempts_left }: CheckoutState, phase: CheckoutPhase, source: Source): Move {
  const exhausted = attempts_left <= 0;
  if (source === "load") return { to: "form", notice: failure, code: null, exhausted };
  if (phase === "form") return exhausted ? { to: "closed", reason: "attempts_exhausted" } : { to: "stay" };
  const waiting = phase === "challenge" || phase === "processing";
  // The attempt's own answer says more than a look at the session does.
  if (source === "look" && !waiting) return { to: "stay" };
  if (failure) return { to: "form", notice: failure, code: failure, exhausted };
  if (phase === "challenge")
    return { to: "form", notice: "authentication_failed", code: "authentication_failed", exhausted };
  // Nothing has failed in the session: the attempt was not taken.
  return { to: "form", notice: "not_sent", code: "processing_error", exhausted };
}
