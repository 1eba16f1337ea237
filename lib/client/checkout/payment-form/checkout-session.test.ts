import { describe, expect, it, vi } from "vitest";
import {
  answered,
  challengeState,
  declinedState,
  fillIn,
  noAnswer,
  openCheckout,
  openState,
  paidState,
  processingState,
  standingClock,
} from "@/e2e/fixtures/payment-form-store";
import { SessionGone } from "./checkout-server";

const { passes } = standingClock();

describe("a reloaded page", () => {
  it.each([
    ["open", openState, { phase: "form", notice: null }],
    ["declined before", declinedState, { phase: "form", notice: "card_declined" }],
    ["paid", paidState, { phase: "done" }],
    ["processing", processingState, { phase: "processing" }],
    ["asking the shopper", challengeState, { phase: "challenge" }],
    ["a challenge without an address", { ...challengeState, action: null }, { phase: "processing" }],
    ["expired", { ...openState, status: "EXPIRED" as const }, { phase: "closed", closed: "expired" }],
    ["cancelled", { ...openState, status: "CANCELLED" as const }, { phase: "closed", closed: "cancelled" }],
    ["out of attempts", { ...declinedState, attempts_left: 0 }, { phase: "closed", closed: "attempts_exhausted" }],
    [
      "ended by its last attempt",
      { ...declinedState, status: "EXPIRED" as const, attempts_left: 0 },
      { phase: "closed", closed: "attempts_exhausted" },
    ],
  ])("shows the session's state: %s", (_what, state, view) => {
    expect(openCheckout({ state }).store.view()).toMatchObject(view);
  });

  it("reports an earlier success to the page, and no earlier decline", () => {
    expect(openCheckout({ state: paidState }).parent.of("success")).toHaveLength(1);
    expect(openCheckout({ state: declinedState }).parent.of("error")).toEqual([]);
  });
});

describe("polling the session", () => {
  it("happens every two seconds while the form is visible, and immediately when it becomes visible", async () => {
    const { server, browser } = openCheckout();
    await passes(6_000);
    expect(server.looks).toBe(3);
    browser.isVisible = false;
    await passes(60_000);
    expect(server.looks).toBe(3);
    browser.show();
    await passes(0);
    expect(server.looks).toBe(4);
    await passes(2_000);
    expect(server.looks).toBe(5);
  });

  it("happens every second while the payment is processing, visible or not", async () => {
    const { server, browser } = openCheckout({ state: processingState });
    browser.isVisible = false;
    await passes(3_000);
    expect(server.looks).toBe(3);
  });

  it("stops with the session and with the form", async () => {
    const paid = openCheckout({ state: paidState });
    const closed = openCheckout({ state: { ...openState, status: "CANCELLED" } });
    const left = openCheckout();
    left.stop();
    await passes(60_000);
    expect([paid.server.looks, closed.server.looks, left.server.looks]).toEqual([0, 0, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("shows a payment made in another window", async () => {
    const { store, server, parent } = openCheckout();
    fillIn(store);
    server.now = paidState;
    await passes(2_000);
    expect(store.view()).toMatchObject({ phase: "done", fields: { number: "", cvv: "" } });
    expect(parent.of("success")).toHaveLength(1);
  });

  it("shows the attempts used in another window, but not its decline", async () => {
    const { store, server, parent } = openCheckout();
    server.now = declinedState;
    await passes(2_000);
    expect(store.view()).toMatchObject({ phase: "form", notice: null, state: { attempts_left: 4 } });
    expect(parent.of("error")).toEqual([]);
  });

  it("closes the form when the merchant cancels the session", async () => {
    const { store, server, parent } = openCheckout();
    fillIn(store);
    server.now = { ...openState, status: "CANCELLED" };
    await passes(2_000);
    expect(store.view()).toMatchObject({ phase: "closed", closed: "cancelled", fields: { number: "" } });
    expect(parent.of("error").map((error) => error.code)).toEqual(["session_cancelled"]);
  });

  it("closes the form when the session no longer exists", async () => {
    const { store, server } = openCheckout();
    server.now = new SessionGone("gone");
    await passes(2_000);
    expect(store.view()).toMatchObject({ phase: "closed", closed: "not_found" });
  });

  it("reports an unreachable server after three failures, until it responds", async () => {
    const { store, server } = openCheckout({ state: declinedState });
    server.now = noAnswer;
    await passes(4_000);
    expect(store.view().notice).toBe("card_declined");
    await passes(2_000);
    expect(store.view().notice).toBe("offline");
    server.now = declinedState;
    await passes(2_000);
    expect(store.view().notice).toBe("card_declined");
  });

  it("removes the connection notice when an attempt starts", async () => {
    const { store, server } = openCheckout();
    fillIn(store);
    server.now = noAnswer;
    await passes(6_000);
    expect(store.view().notice).toBe("offline");
    void store.submit();
    expect(store.view()).toMatchObject({ phase: "submitting", notice: null });
  });

  it("warns against paying again if the server is unreachable while the payment is processing", async () => {
    const { store, server } = openCheckout({ state: processingState });
    server.now = noAnswer;
    await passes(3_000);
    expect(store.view()).toMatchObject({ phase: "processing", notice: "connection_lost" });
  });

  it("ignores a poll that began before the attempt", async () => {
    const { store, server } = openCheckout();
    fillIn(store);
    const tell = server.holdLooks();
    await passes(2_000);
    server.outcomes.push(answered(challengeState));
    await store.submit();
    tell({ ...openState, status: "CANCELLED" });
    await passes(0);
    expect(store.view().phase).toBe("challenge");
  });

  it("renders nothing while nothing changes", async () => {
    const { store } = openCheckout();
    const drawn = vi.fn();
    store.subscribe(drawn);
    await passes(20_000);
    expect(drawn).not.toHaveBeenCalled();
  });
});

describe("the session's expiry", () => {
  it("closes the form to the second by the server's clock", async () => {
    vi.setSystemTime(new Date("2031-01-01T00:00:00.000Z"));
    const { store, parent } = openCheckout();
    fillIn(store);
    await passes(3_600_000 - 1);
    expect(store.view().phase).toBe("form");
    await passes(1);
    expect(store.view()).toMatchObject({ phase: "closed", closed: "expired", fields: { number: "" } });
    expect(parent.of("expired")).toHaveLength(1);
  });

  it("can be months away", async () => {
    const counted = vi.spyOn(globalThis, "setTimeout");
    const { store } = openCheckout({ state: { ...openState, expires_at: "2027-06-01T00:00:00.000Z" } });
    await passes(10_000);
    expect(store.view().phase).toBe("form");
    // Browsers fire longer timers immediately and repeatedly.
    const delays = counted.mock.calls.map(([, ms]) => ms ?? 0);
    expect(Math.max(...delays)).toBe(2 ** 31 - 1);
  });

  it("allows no attempt afterwards", async () => {
    const { store, server, browser } = openCheckout();
    fillIn(store);
    browser.isVisible = false;
    // The machine slept: time has passed without timers.
    vi.setSystemTime(new Date("2026-11-21T14:00:00.000Z"));
    await store.submit();
    expect(server.attempts).toEqual([]);
    expect(store.view().closed).toBe("expired");
  });
});
