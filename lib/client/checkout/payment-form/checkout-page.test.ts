import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answered, declinedState, fillIn, NOW, openCheckout, paidState } from "@/e2e/fixtures/payment-form-store";

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(new Date(NOW));
});
afterEach(() => vi.useRealTimers());

describe("messages from and to the page", () => {
  it("reports only changes", () => {
    const { store, parent } = openCheckout({
      fields: { name: true, email: false, postal_code: null },
      customer_name: "Ada",
    });
    expect(parent.told).toEqual([]);
    store.change("number", "4");
    store.change("number", "42");
    fillIn(store);
    void store.submit();
    expect(parent.of("change").map(({ type: _type, ...change }) => change)).toEqual([
      { complete: false, empty: false, processing: false },
      { complete: true, empty: false, processing: false },
      { complete: true, empty: false, processing: true },
    ]);
  });

  it("never sends card data", async () => {
    const { store, server, parent } = openCheckout();
    fillIn(store);
    server.outcomes.push(answered(declinedState), answered(paidState));
    await store.submit();
    store.change("cvv", "123");
    await store.submit();
    expect(JSON.stringify(parent.told)).not.toMatch(/4242|"123"|12 \/ 29/);
  });

  it("prefers the page's appearance, language and button to the session's", () => {
    const { store, parent } = openCheckout({ appearance: { preset: "soft", theme: "dark", accent_color: "#112233" } });
    parent.say({
      type: "init",
      appearance: { accent_color: "#445566", theme: undefined },
      locale: "ar",
      button: false,
    });
    expect(store.view()).toMatchObject({ locale: "ar", button: false });
    expect(store.view().appearance).toEqual({ preset: "soft", theme: "dark", accent_color: "#445566" });
    parent.say({ type: "update", locale: "de" });
    expect(store.view()).toMatchObject({ locale: "de", button: false, appearance: { accent_color: "#445566" } });
  });

  it("writes to the page in the form's language", async () => {
    const { store, server, parent } = openCheckout({ locale: "de" });
    fillIn(store);
    server.outcomes.push(answered(declinedState));
    await store.submit();
    expect(parent.of("error")[0]?.message).toContain("Ihre Bank");
  });
});

describe("the fields", () => {
  it("report an error on blur, or earlier if more typing can't fix it", () => {
    const { store } = openCheckout();
    store.change("number", "4242");
    expect(store.view().errors).toEqual({});
    store.blur("number");
    expect(store.view().errors).toEqual({ number: "number_incomplete" });
    store.change("number", "4242 4");
    expect(store.view().errors).toEqual({});
    store.change("number", "4242424242424241");
    expect(store.view().errors).toEqual({ number: "number_invalid" });
    store.change("expiry", "12 / 25");
    expect(store.view().errors).toMatchObject({ expiry: "expiry_past" });
  });

  it("report no error for an empty field that was only tabbed through", () => {
    const { store } = openCheckout();
    store.blur("number");
    expect(store.view().errors).toEqual({});
  });

  it("report a field that is emptied after the shopper has tried to pay", async () => {
    const { store } = openCheckout();
    await store.submit();
    store.change("cvv", "1");
    store.change("cvv", "");
    store.blur("cvv");
    expect(store.view().errors.cvv).toBe("cvv_missing");
  });

  it("validate the code again when the number's brand changes", () => {
    const { store } = openCheckout();
    store.change("number", "378282246310005");
    store.change("cvv", "123");
    store.blur("cvv");
    expect(store.view().errors).toEqual({ cvv: "cvv_four_digits" });
    store.change("number", "4242424242424242");
    expect(store.view().errors).toEqual({});
    expect(store.view().brand).toBe("visa");
  });

  it("are those that the page requests, with the known name filled in", () => {
    const { store } = openCheckout({
      fields: { name: true, email: false, postal_code: "required" },
      customer_name: "Ada",
    });
    expect(store.view().shown).toEqual(["number", "expiry", "cvv", "name", "postal_code"]);
    expect(store.view().fields.name).toBe("Ada");
    expect(openCheckout().store.view().shown).toEqual(["number", "expiry", "cvv"]);
  });
});
