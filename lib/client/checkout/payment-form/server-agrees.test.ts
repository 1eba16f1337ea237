import fc from "fast-check";
import { expect, it } from "vitest";
import { fillIn, openCheckout } from "@/e2e/fixtures/payment-form-store";
import { checkoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...Array.from("0123456789 -٤４aZ")), maxLength: 40 }),
);
const number = fc.oneof(fc.constantFrom(...SANDBOX_CARDS.map((card) => card.number)), anyText);
const expiry = fc.oneof(fc.constantFrom("12/29", "1/2030", "0127"), anyText);
const cvv = fc.oneof(fc.constantFrom("123", "1234"), anyText);

it("sends nothing that the server would reject as invalid, whatever is typed", () => {
  fc.assert(
    fc.property(number, expiry, cvv, anyText, anyText, (...typed) => {
      const { store, server, stop } = openCheckout({ fields: { name: true, email: false, postal_code: "required" } });
      const [first, second, third, name, postalCode] = typed;
      store.change("number", first);
      store.change("expiry", second);
      store.change("cvv", third);
      store.change("name", name);
      store.change("postal_code", postalCode);
      void store.submit();
      for (const body of server.attempts) expect(checkoutAttemptBody.safeParse(body).error).toBeUndefined();
      stop();
    }),
    { numRuns: 1_000 },
  );
});

it("accepts every card in the docs", () => {
  for (const card of SANDBOX_CARDS) {
    const { store, server, stop } = openCheckout();
    fillIn(store, card.number);
    if (card.brand === "amex") store.change("cvv", "1234");
    void store.submit();
    expect(server.attempts.map((body) => body.card.number)).toEqual([card.number]);
    stop();
  }
});
