import type { AttemptOutcome } from "./checkout-server";

type Outcome<Kind extends AttemptOutcome["kind"]> = Extract<AttemptOutcome, { kind: Kind }>;

/** What ends an attempt. `over`: the session's state has decided meanwhile, or the form is gone. */
export type AttemptEnd = Outcome<"answered" | "refused" | "limited" | "changed"> | { kind: "over" };

export type AttemptPorts = {
  /** Sends the same attempt with the same body, every time. */
  send(): Promise<AttemptOutcome>;
  /** Looks whether the session knows more; never throws. */
  look(): Promise<unknown>;
  wait(ms: number): Promise<void>;
  onLost(): void;
  over(): boolean;
};

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/** Refusals that say for certain that this attempt does not pay, whatever became of its earlier requests. */
const FINAL_REFUSALS: ReadonlySet<string> = new Set([
  "invalid_parameter",
  "missing_parameter",
  "unknown_parameter",
  "processor_not_configured",
]);

/** Sends an attempt until it is known what became of it: once the answer is lost, for as long as the form lives. */
export async function runAttempt(ports: AttemptPorts): Promise<AttemptEnd> {
  let lostBefore = false;
  let waitMs = FIRST_WAIT_MS;
  while (!ports.over()) {
    const outcome = await ports.send();
    if (ports.over()) break;
    if (outcome.kind === "answered" || outcome.kind === "changed") return outcome;
    if (outcome.kind === "refused" && (!lostBefore || FINAL_REFUSALS.has(outcome.code))) return outcome;
    if (outcome.kind === "limited" && !lostBefore) return outcome;
    void ports.look();
    if (outcome.kind === "busy" || outcome.kind === "limited") {
      await ports.wait(outcome.retryAfterMs);
      continue;
    }
    lostBefore = true;
    ports.onLost();
    await ports.wait(waitMs);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
  return { kind: "over" };
}
