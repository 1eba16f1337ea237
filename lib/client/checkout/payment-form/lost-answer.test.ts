import { describe, expect, it, vi } from "vitest";
import {
  answered,
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

describe("a lost response", () => {
  it("is requested again with the same attempt and card after 1, 2, 4, 8 and 15 seconds", async () => {
    const { store, server, parent } = openCheckout();
    fillIn(store);
    server.outcomes.push(...Array.from({ length: 7 }, () => ({ kind: "lost" }) as const));
    void store.submit();
    await passes(0);
    expect(store.view()).toMatchObject({ phase: "checking", notice: "connection_lost" });
    const sent: number[] = [];
    for (const waitMs of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
      await passes(waitMs - 1);
      sent.push(server.attempts.length);
      await passes(1);
      sent.push(server.attempts.length);
    }
    expect(sent).toEqual([1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7]);
    expect(new Set(server.attempts.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(parent.of("error").map((error) => error.code)).toEqual(["connection_lost"]);
  });

  it("ends when the response arrives, however late", async () => {
    const { store, server, parent } = openCheckout();
    fillIn(store);
    server.outcomes.push({ kind: "lost" }, { kind: "lost" }, answered(paidState));
    void store.submit();
    await passes(3_000);
    expect(store.view()).toMatchObject({ phase: "done", notice: null });
    expect(server.attempts).toHaveLength(3);
    expect(parent.of("success")).toHaveLength(1);
  });

  it("is requested immediately when the browser is online again", async () => {
    const { store, server, browser } = openCheckout();
    fillIn(store);
    server.outcomes.push({ kind: "lost" }, { kind: "lost" }, { kind: "lost" }, { kind: "lost" });
    void store.submit();
    await passes(7_500);
    expect(server.attempts).toHaveLength(4);
    browser.goOnline();
    await passes(0);
    expect(server.attempts).toHaveLength(5);
  });

  it("is not requested once the session is paid", async () => {
    const { store, server, parent } = openCheckout();
    fillIn(store);
    server.now = paidState;
    server.outcomes.push({ kind: "lost" });
    void store.submit();
    await passes(0);
    expect(store.view().phase).toBe("done");
    await passes(60_000);
    expect(server.attempts).toHaveLength(1);
    expect(parent.of("success")).toHaveLength(1);
  });

  it("changes nothing when it arrives after the session is paid", async () => {
    const { store, server } = openCheckout();
    fillIn(store);
    server.outcomes.push({ kind: "lost" });
    const tell = server.holdLooks();
    void store.submit();
    await passes(1_000);
    expect(server.attempts).toHaveLength(2);
    tell(paidState);
    await passes(0);
    server.answer(answered(declinedState));
    await passes(0);
    expect(store.view().phase).toBe("done");
  });

  it("is not overridden by a poll that began before it", async () => {
    const { store, server } = openCheckout();
    fillIn(store);
    server.outcomes.push({ kind: "lost" }, answered(declinedState));
    const tell = server.holdLooks();
    void store.submit();
    await passes(1_000);
    tell(processingState);
    await passes(0);
    expect(store.view().phase).toBe("form");
  });

  it("shows processing when the session does", async () => {
    const { store, server } = openCheckout();
    fillIn(store);
    server.now = processingState;
    server.outcomes.push({ kind: "lost" });
    void store.submit();
    await passes(0);
    expect(store.view()).toMatchObject({ phase: "processing", notice: null });
  });

  it("is still requested when the session is open after an earlier decline", async () => {
    const { store, server } = openCheckout({ state: declinedState });
    fillIn(store);
    server.outcomes.push({ kind: "lost" }, { kind: "lost" }, answered(paidState));
    void store.submit();
    await passes(500);
    expect(store.view().phase).toBe("checking");
    await passes(2_500);
    expect(store.view().phase).toBe("done");
  });

  it.each([
    { kind: "refused", code: "origin_not_allowed", fields: [] },
    { kind: "limited", retryAfterMs: 2_000 },
  ] as const)("stays unknown after %o: that says nothing of the first request", async (outcome) => {
    const { store, server } = openCheckout();
    fillIn(store);
    server.outcomes.push({ kind: "lost" }, outcome, answered(paidState));
    void store.submit();
    await passes(1_500);
    expect(store.view().phase).toBe("checking");
    await passes(2_500);
    expect(store.view().phase).toBe("done");
    expect(new Set(server.attempts.map((body) => body.attempt)).size).toBe(1);
  });

  it("keeps the form from expiring until it arrives", async () => {
    const { store, server, parent } = openCheckout();
    fillIn(store);
    void store.submit();
    await passes(2 * 3_600_000);
    expect(store.view().phase).toBe("submitting");
    server.answer(answered(declinedState));
    await passes(0);
    expect(store.view()).toMatchObject({ phase: "closed", closed: "expired" });
    expect(parent.told.map((message) => message.type).filter((type) => type !== "change")).toEqual([
      "error",
      "expired",
    ]);
  });

  it("is abandoned only with the form", async () => {
    const { store, server, stop } = openCheckout();
    fillIn(store);
    server.outcomes.push({ kind: "lost" });
    void store.submit();
    await passes(500);
    stop();
    await passes(60_000);
    expect(server.attempts).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("an attempt that the server cannot process yet", () => {
  it("is sent again after a busy server's Retry-After", async () => {
    const { store, server } = openCheckout();
    fillIn(store);
    server.outcomes.push({ kind: "busy", retryAfterMs: 2_000 }, answered(paidState));
    void store.submit();
    await passes(1_999);
    expect(server.attempts).toHaveLength(1);
    expect(store.view().phase).toBe("submitting");
    await passes(1);
    expect(store.view().phase).toBe("done");
    expect(server.attempts[1]).toEqual(server.attempts[0]);
  });

  it.each([
    ["paid", paidState, { phase: "done" }],
    ["cancelled", { ...openState, status: "CANCELLED" as const }, { phase: "closed", closed: "cancelled" }],
    ["still open", openState, { phase: "form", notice: "not_sent" }],
    ["gone", new SessionGone("gone"), { phase: "closed", closed: "not_found" }],
  ])("follows a changed session: %s", async (_what, now, view) => {
    const { store, server } = openCheckout();
    fillIn(store);
    server.now = now;
    server.outcomes.push({ kind: "changed" });
    await store.submit();
    expect(store.view()).toMatchObject(view);
  });

  it("polls a changed session until its state is known", async () => {
    const { store, server } = openCheckout();
    fillIn(store);
    server.now = noAnswer;
    server.outcomes.push({ kind: "changed" });
    void store.submit();
    await passes(5_000);
    expect(store.view()).toMatchObject({ phase: "checking", notice: "connection_lost" });
    server.now = paidState;
    await passes(2_000);
    expect(store.view().phase).toBe("done");
    expect(server.attempts).toHaveLength(1);
  });
});
