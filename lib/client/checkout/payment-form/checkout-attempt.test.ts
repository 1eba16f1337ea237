import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  answered,
  declinedState,
  fillIn,
  NOW,
  openCheckout,
  openState,
  paidState,
} from "@/e2e/fixtures/payment-form-store";

const passes = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(new Date(NOW));
});
afterEach(() => vi.useRealTimers());

describe("an attempt", () => {
  it("sends the typed values and reports success once the server does", async () => {
    const { store, server, parent } = openCheckout({ fields: { name: true, email: false, postal_code: "required" } });
    fillIn(store);
    store.change("name", " Ada Lovelace ");
    store.change("postal_code", "sw1a 1aa");
    const done = store.submit();
    expect(store.view()).toMatchObject({ phase: "submitting", complete: true, notice: null });
    server.answer(answered(paidState));
    await done;
    expect(server.attempts).toEqual([
      {
        attempt: expect.stringMatching(/^[\w-]{1,64}$/),
        mode: "payment",
        locale: "en",
        card: { number: "4242424242424242", exp_month: 12, exp_year: 2029, cvv: "123", name: "Ada Lovelace" },
        postal_code: "SW1A 1AA",
      },
    ]);
    const result = {
      client_session_id: "cs_1",
      payment_id: "pay_1",
      status: "CAPTURED",
      payment_token: null,
      return_url: "https://shop.example/thanks",
    };
    expect(store.view()).toMatchObject({ phase: "done", result });
    expect(parent.of("success")).toEqual([{ type: "success", ...result }]);
  });

  it("clears the card from memory after success", async () => {
    const { store, server } = openCheckout();
    fillIn(store);
    server.outcomes.push(answered(paidState));
    await store.submit();
    expect(Object.values(store.view().fields).join("")).toBe("");
    expect(store.view().brand).toBeNull();
  });

  it("is sent once, however often the button is clicked", async () => {
    const { store, server, parent } = openCheckout();
    fillIn(store);
    void store.submit();
    void store.submit();
    parent.say({ type: "submit" });
    await passes(5_000);
    expect(server.attempts).toHaveLength(1);
  });

  it("is not sent while a field is invalid, and marks each invalid field", async () => {
    const { store, server, parent } = openCheckout({ fields: { name: true, email: false, postal_code: null } });
    store.change("number", "4242424242424241");
    await store.submit();
    expect(server.attempts).toEqual([]);
    expect(store.view()).toMatchObject({
      phase: "form",
      errors: { number: "number_invalid", expiry: "expiry_missing", cvv: "cvv_missing", name: "name_missing" },
    });
    expect(parent.of("error")).toEqual([]);
  });

  it("reports invalid fields to a page that has its own button", () => {
    const { parent } = openCheckout();
    parent.say({ type: "submit" });
    expect(parent.of("error")).toMatchObject([{ code: "invalid_card_data", attempts_left: 5 }]);
  });

  it("accepts no input while in progress", () => {
    const { store } = openCheckout();
    fillIn(store);
    void store.submit();
    expect(store.change("cvv", "999")).toEqual({ value: "123", caret: 3 });
  });

  it("starts a new attempt after a decline, clearing only the security code", async () => {
    const { store, server, parent } = openCheckout();
    fillIn(store);
    server.outcomes.push(answered(declinedState), answered(paidState));
    await store.submit();
    expect(store.view()).toMatchObject({ phase: "form", notice: "card_declined", complete: false });
    expect(store.view().errors).toEqual({});
    expect(store.view().state.attempts_left).toBe(4);
    expect(store.view().fields).toMatchObject({ number: "4242 4242 4242 4242", expiry: "12 / 29", cvv: "" });
    expect(parent.of("error")).toMatchObject([{ code: "card_declined", attempts_left: 4 }]);
    store.change("cvv", "123");
    await store.submit();
    expect(store.view().phase).toBe("done");
    expect(new Set(server.attempts.map((body) => body.attempt)).size).toBe(2);
  });

  it.each(["OPEN", "EXPIRED"] as const)("closes the form with its last decline: %s", async (status) => {
    const { store, server, parent } = openCheckout();
    fillIn(store);
    server.outcomes.push(answered({ ...declinedState, status, attempts_left: 0 }));
    await store.submit();
    expect(store.view()).toMatchObject({ phase: "closed", closed: "attempts_exhausted" });
    expect(store.view().fields.number).toBe("");
    expect(parent.of("error").map((error) => error.code)).toEqual(["card_declined", "attempts_exhausted"]);
  });

  it.each([
    [3, "expired", ["card_declined"], 1],
    // The last decline also expires the session, and is the reason to show.
    [0, "attempts_exhausted", ["card_declined", "attempts_exhausted"], 0],
  ])(
    "that is declined after the session's end, with %i left, closes the form once",
    async (left, closed, codes, told) => {
      const { store, server, parent } = openCheckout();
      fillIn(store);
      void store.submit();
      await passes(2 * 3_600_000);
      server.answer(answered({ ...declinedState, attempts_left: left }));
      await passes(0);
      expect(store.view()).toMatchObject({ phase: "closed", closed });
      expect(parent.of("error").map((error) => error.code)).toEqual(codes);
      expect(parent.of("expired")).toHaveLength(told);
    },
  );

  it("marks the fields that the server refuses", async () => {
    const { store, server, parent } = openCheckout();
    fillIn(store);
    server.outcomes.push({ kind: "refused", code: "invalid_parameter", fields: ["number", "cvv"] });
    await store.submit();
    expect(store.view()).toMatchObject({
      phase: "form",
      notice: "invalid_card_data",
      errors: { number: "number_invalid", cvv: "cvv_invalid" },
    });
    expect(store.view().fields.cvv).toBe("123");
    expect(parent.of("error")).toMatchObject([{ code: "invalid_card_data" }]);
  });

  it.each([
    [
      { kind: "refused", code: "processor_not_configured", fields: [] },
      "processor_unavailable",
      "processor_unavailable",
    ],
    [{ kind: "refused", code: "origin_not_allowed", fields: [] }, "not_sent", "origin_not_allowed"],
    [{ kind: "refused", code: "invalid_parameter", fields: ["postal_code"] }, "not_sent", "processing_error"],
    [{ kind: "refused", code: "body_too_large", fields: [] }, "not_sent", "processing_error"],
    [{ kind: "limited", retryAfterMs: 3_000 }, "rate_limited", "rate_limited"],
  ] as const)("goes back to the form after %o", async (outcome, notice, code) => {
    const { store, server, parent } = openCheckout();
    fillIn(store);
    server.outcomes.push(outcome);
    await store.submit();
    expect(store.view()).toMatchObject({ phase: "form", notice });
    expect(parent.of("error").map((error) => error.code)).toEqual([code]);
  });

  it("returns a token and no payment in tokenize mode", async () => {
    const { store, server, parent } = openCheckout({ mode: "tokenize" });
    fillIn(store);
    server.outcomes.push(answered(openState, "tok_1"));
    await store.submit();
    expect(server.attempts[0]?.mode).toBe("tokenize");
    expect(parent.of("success")).toMatchObject([{ payment_id: null, payment_token: "tok_1", status: "OPEN" }]);
    expect(store.view().fields.number).toBe("");
    await passes(10_000);
    expect(server.looks).toBe(0);
  });

  it("is never sent from a preview", async () => {
    const { store, server } = openCheckout({}, true);
    fillIn(store);
    await store.submit();
    await passes(2 * 3_600_000);
    expect(store.view().phase).toBe("form");
    expect([server.attempts.length, server.looks]).toEqual([0, 0]);
  });
});
