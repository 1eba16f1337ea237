import type { CheckoutFailure, CheckoutState } from "@/lib/contract/checkout/checkout";
import { SessionGone } from "./checkout-server";
import type { CheckoutPhase, ClosedReason, NoticeKey } from "./checkout-view";

type WatchPorts = {
  read(): Promise<CheckoutState>;
  /** How often to look now; null for not at all. */
  pace(): { everyMs: number; evenHidden: boolean } | null;
  onState(state: CheckoutState): void;
  onGone(): void;
  /** Called after every check. */
  onReachable(reachable: boolean): void;
  surroundings: Surroundings;
};

/** Failed checks in a row before the shopper is notified: phones lose one or two in a lift. */
const MISSES_TO_TELL = 3;

/** Keeps looking at the session. One look at a time; an answer that is older than the last `replan` counts for nothing. */
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
    // A hidden page is looked at again as soon as it is seen.
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
    else if (++misses >= MISSES_TO_TELL) ports.onReachable(false);
    // What was seen may have changed the plan.
    const next = ports.pace();
    if (mine === plan && alive && next) later(next.everyMs);
  };

  return {
    /** After every change of the pace. */
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

/** The phase that a state leads to. `code`: the error that the embedding page gets for a failed attempt, or null. */
type Move =
  | { to: "stay" }
  | { to: "done" }
  | { to: "processing" }
  | { to: "challenge"; url: string }
  | { to: "closed"; reason: ClosedReason }
  | { to: "form"; notice: NoticeKey | null; code: CheckoutFailure | null; exhausted: boolean };

/** load: the state that the page came with. look: a check without an attempt. answer: the result of the form's own attempt. */
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

/** What the form needs from the browser around it. */
export type Surroundings = {
  visible(): boolean;
  /** The shopper is looking at the form again; returns what ends the listening. */
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
