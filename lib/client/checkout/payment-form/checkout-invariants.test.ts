import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  answered,
  challengeState,
  declinedState,
  fillIn,
  NOW,
  openCheckout,
  openState,
  paidState,
  processingState,
} from "@/e2e/fixtures/payment-form-store";
import type { CheckoutState } from "@/lib/contract/checkout/checkout";
import type { AttemptOutcome } from "./checkout-server";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const outcomes = fc.constantFrom<AttemptOutcome>(
  { kind: "lost" },
  { kind: "busy", retryAfterMs: 700 },
  { kind: "limited", retryAfterMs: 900 },
  { kind: "changed" },
  { kind: "refused", code: "invalid_parameter", fields: ["number"] },
  answered(declinedState),
  answered(challengeState),
  answered(processingState),
  answered(paidState),
);
const states = fc.constantFrom<CheckoutState | Error>(
  openState,
  declinedState,
  challengeState,
  processingState,
  paidState,
  { ...openState, status: "CANCELLED" },
  new Error("no answer"),
);
type Step =
  | { does: "submit" }
  | { does: "state"; state: CheckoutState | Error }
  | { does: "outcome"; outcome: AttemptOutcome }
  | { does: "wait"; ms: number }
  | { does: "online" };
const steps = fc.array(
  fc.oneof(
    fc.constant<Step>({ does: "submit" }),
    states.map((state): Step => ({ does: "state", state })),
    outcomes.map((outcome): Step => ({ does: "outcome", outcome })),
    fc.integer({ min: 0, max: 20_000 }).map((ms): Step => ({ does: "wait", ms })),
    fc.constant<Step>({ does: "online" }),
  ),
  { maxLength: 25 },
);

it("never starts an attempt while one is unknown, and reports success once and only if paid", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      vi.setSystemTime(new Date(NOW));
      const { store, server, parent, browser, stop } = openCheckout();
      let saidPaid = false;
      const outcomeOf = server.attempt.bind(server);
      const known = new Set<string>();
      let unknown: string | null = null;
      server.attempt = async (body) => {
        // An unknown attempt may be sent again; another one must wait for its outcome.
        if (unknown) expect(body.attempt).toBe(unknown);
        expect(known.has(body.attempt)).toBe(false);
        unknown = body.attempt;
        const outcome = await outcomeOf(body);
        if (outcome.kind === "answered" && outcome.answer.state.status === "COMPLETED") saidPaid = true;
        return outcome;
      };
      const read = server.state.bind(server);
      server.state = async () => {
        const state = await read();
        if (state.status === "COMPLETED") saidPaid = true;
        return state;
      };
      store.subscribe(() => {
        const { phase, fields, result } = store.view();
        if (phase === "form" && unknown) {
          known.add(unknown);
          unknown = null;
        }
        if (phase === "done") expect(saidPaid).toBe(true);
        if (phase === "done" || phase === "closed") expect(Object.values(fields).join("")).toBe("");
        expect(result !== null).toBe(phase === "done");
      });
      for (const step of plan) {
        if (step.does === "submit") {
          if (store.view().phase === "form") fillIn(store);
          void store.submit();
        } else if (step.does === "state") server.now = step.state;
        else if (step.does === "outcome") server.outcomes.push(step.outcome);
        else if (step.does === "online") browser.goOnline();
        await vi.advanceTimersByTimeAsync(step.does === "wait" ? step.ms : 0);
      }
      stop();
      expect(parent.of("success").length).toBe(store.view().phase === "done" ? 1 : 0);
      expect(parent.of("expired").length + parent.of("success").length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 300 },
  );
});
