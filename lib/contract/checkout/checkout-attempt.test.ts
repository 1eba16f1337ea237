import { expect, test } from "vitest";
import { createPaymentBody } from "@/lib/contract/payments/payment";
import { checkoutAttemptBody } from "./endpoints";

const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };
const attempt = (over: object) => checkoutAttemptBody.safeParse({ attempt: "a", card, ...over });
const named = (name: string) => attempt({ card: { ...card, name } });

test("names and postal codes from all countries are accepted", () => {
  for (const name of ["Jane Doe", "Zoë Ångström-O’Neill", "王小明", "J. R. R. Tolkien 3rd", "R2D2", "Room 12345678901"])
    expect(named(name).success, name).toBe(true);
  for (const postal_code of ["94110", "94110-1234", "SW1A 1AA", "1010", "110 01", "20031-170"])
    expect(attempt({ postal_code }).success, postal_code).toBe(true);
});

test("a card number in the name or postal code, which are stored, is rejected", () => {
  for (const typed of [
    "4242424242424242",
    "4242 4242 4242 4242",
    "4242-4242-4242-4242",
    "4242.4242.4242.4242",
    "x 378282246310005",
    // A card number with a typo is refused as well.
    "4242 4242 4242 4241",
  ]) {
    expect(named(typed).success, typed).toBe(false);
    expect(attempt({ postal_code: typed.slice(0, 20) }).success, typed).toBe(false);
    const body = { amount: 1, currency: "USD", card: { ...card, name: typed } };
    expect(createPaymentBody.safeParse(body).success, typed).toBe(false);
  }
});

test("no error repeats the input, except a card's last four digits", () => {
  const refusals = [
    named("4242 4242 4242 4242"),
    attempt({ card: { ...card, number: "4242424242424241", cvv: "98765" } }),
  ];
  for (const { error } of refusals) expect(error?.message.replace(/(?:in |…)4242/g, "")).not.toMatch(/4242|98765/);
});
