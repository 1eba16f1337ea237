import type { CheckoutState } from "@/lib/contract/checkout";
import { SessionGone } from "./checkout-server";
import type { Surroundings } from "./surroundings";

export type WatchPorts = {
  read(): Promise<CheckoutState>;
  /** How often to look now; null for not at all. */
  pace(): { everyMs: number; evenHidden: boolean } | null;
  onState(state: CheckoutState): void;
  onGone(): void;
  /** Told of every look. */
  onReachable(reachable: boolean): void;
  surroundings: Surroundings;
};

/** Looks that fail in a row before anybody is told: one or two are what phones do in lifts. */
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
