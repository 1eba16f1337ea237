import type { CheckoutFailure, CheckoutState } from "@/lib/contract/checkout/checkout";
import { SessionGone } from "./checkout-server";
import type { CheckoutPhase, ClosedReason, NoticeKey } from "./checkout-view";

type WatchPorts = {
  read(): Promise<CheckoutState>;
  /** Current polling interval; null for none. */
  pace(): { everyMs: number; evenHidden: boolean } | null;
  onState(state: CheckoutState): void;
  onGone(): void;
  /** Called after every check. */
  onReachable(reachable: boolean): void;
  surroundings: Surroundings;
};

/** Failed checks in a row before the shopper is notified: phones often lose one or two. */
const MISSES_BEFORE_NOTICE = 3;

/** Polls the session, one check at a time; results older than the last `replan` are dropped. */
export function watchSession(ports: WatchPorts) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let alive = false;
  let plan = 0;
  let misses = 0;

  const later = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), ms);
  };

  const replan = () => {
    plan++;
    clearTimeout(timer);
    const pace = alive ? ports.pace() : null;
    if (pace) later(pace.everyMs);
  };

  const look = async () => {
    const pace = ports.pace();
    // A hidden page is checked again once it is visible.
    if (!alive || !pace || (!pace.evenHidden && !ports.surroundings.visible())) return;
    const mine = ++plan;
    clearTimeout(timer);
    const found = await ports.read().catch((error: unknown) => ({ error }));
    if (mine !== plan) return;
    if (!("error" in found)) {
      misses = 0;
      ports.onReachable(true);
      ports.onState(found);
    } else if (found.error instanceof SessionGone) ports.onGone();
    else if (++misses >= MISSES_BEFORE_NOTICE) ports.onReachable(false);
    // The result may have changed the pace.
    const next = ports.pace();
    if (mine === plan && alive && next) later(next.everyMs);
  };

  return {
    /** Call after every change of the pace. */
    replan,
    start() {
      alive = true;
      replan();
      const now = () => void look();
      const ends = [ports.surroundings.onVisible(now), ports.surroundings.onOnline(now)];
      return () => {
        alive = false;
        replan();
        for (const end of ends) end();
      };
    },
  };
}

/** Next phase for a state. `code` is the error sent to the embedding page for a failed attempt, or null. */
type Move =
  | { to: "stay" }
  | { to: "done" }
  | { to: "processing" }
  | { to: "challenge"; url: string }
  | { to: "closed"; reason: ClosedReason }
  | { to: "form"; notice: NoticeKey | null; code: CheckoutFailure | null; exhausted: boolean };

/**
 * load: the state embedded in the page. look: a check without an attempt. answer: the result of the form's
 * own attempt.
 */
export type Source = "load" | "look" | "answer";

const RETURNED: ReadonlySet<string> = new Set(["VOIDED", "REFUNDED"]);

export function sessionMove(state: CheckoutState, phase: CheckoutPhase, source: Source): Move {
  switch (state.status) {
    case "COMPLETED":
      // A link opened months later must not say "paid" about refunded money.
      return RETURNED.has(state.payment?.status ?? "") ? { to: "closed", reason: "returned" } : { to: "done" };
    case "PROCESSING":
      return { to: "processing" };
    case "REQUIRES_ACTION":
      return state.action ? { to: "challenge", url: state.action.url } : { to: "processing" };
    case "EXPIRED":
      // A session also ends with its last attempt, whose own response explains the failure.
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
  // The attempt's own response has more detail than a check of the session.
  if (source === "look" && !waiting) return { to: "stay" };
  if (failure) return { to: "form", notice: failure, code: failure, exhausted };
  if (phase === "challenge")
    return { to: "form", notice: "authentication_failed", code: "authentication_failed", exhausted };
  // The session has no failure, so the attempt wasn't accepted.
  return { to: "form", notice: "not_sent", code: "processing_error", exhausted };
}

/** Browser features that the form needs. */
export type Surroundings = {
  visible(): boolean;
  /** Called when the form is visible again. Returns an unsubscribe function. */
  onVisible(listener: () => void): () => void;
  onOnline(listener: () => void): () => void;
};

export const browserSurroundings: Surroundings = {
  visible: () => document.visibilityState === "visible",
  onVisible(listener) {
    const notify = () => {
      if (document.visibilityState === "visible") listener();
    };
    document.addEventListener("visibilitychange", notify);
    return () => document.removeEventListener("visibilitychange", notify);
  },
  onOnline(listener) {
    window.addEventListener("online", listener);
    return () => window.removeEventListener("online", listener);
  },
};
