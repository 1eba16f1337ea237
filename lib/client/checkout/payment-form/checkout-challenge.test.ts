import { describe, expect, it } from "vitest";
import {
  answered,
  challengeState,
  declinedState,
  fillIn,
  openCheckout,
  openState,
  paidState,
  processingState,
  standingClock,
} from "@/e2e/fixtures/payment-form-store";

const { passes } = standingClock();

describe("a challenge", () => {
  const challenged = async () => {
    const opened = openCheckout();
    fillIn(opened.store);
    opened.server.outcomes.push(answered(challengeState));
    opened.server.now = challengeState;
    await opened.store.submit();
    return opened;
  };

  it("is shown, and reported to the page once", async () => {
    const { store, parent } = await challenged();
    await passes(5_000);
    expect(store.view()).toMatchObject({ phase: "challenge", state: { action: { url: "/challenge/chl_1" } } });
    expect(store.view().fields.cvv).toBe("");
    expect(parent.of("action_required")).toHaveLength(1);
  });

  it("leads to the payment when passed", async () => {
    const { store, server, parent } = await challenged();
    server.now = paidState;
    await passes(1_000);
    expect(store.view().phase).toBe("done");
    expect(parent.of("success")).toHaveLength(1);
  });

  it.each([
    ["failed", { ...declinedState, failure: "authentication_failed" as const }, "authentication_failed"],
    ["passed, and the card declined", declinedState, "card_declined"],
    ["left", { ...openState, attempts_left: 4 }, "authentication_failed"],
  ])("that is %s returns to the form with instructions", async (_what, state, notice) => {
    const { store, server, parent } = await challenged();
    server.now = state;
    await passes(1_000);
    expect(store.view()).toMatchObject({ phase: "form", notice, fields: { number: "4242 4242 4242 4242", cvv: "" } });
    expect(parent.of("error")).toMatchObject([{ code: notice, attempts_left: 4 }]);
  });

  it("can be followed by processing", async () => {
    const { store, server } = await challenged();
    server.now = processingState;
    await passes(1_000);
    expect(store.view().phase).toBe("processing");
    server.now = paidState;
    await passes(1_000);
    expect(store.view().phase).toBe("done");
  });
});
