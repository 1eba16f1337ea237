import type Stripe from "stripe";
import { expect, test } from "vitest";
import { authorizationStatus } from "./outcomes";

type Check = "pass" | "fail" | "unavailable" | "unchecked" | null;

test.each<[Check, Check, string | null]>([
  ["pass", "pass", "Y"],
  ["pass", "fail", "A"],
  ["fail", "pass", "Z"],
  ["fail", "fail", "N"],
  // Only one part was checked.
  ["pass", null, "B"],
  ["pass", "unavailable", "B"],
  ["pass", "unchecked", "B"],
  [null, "pass", "P"],
  ["unavailable", "pass", "P"],
  ["unchecked", "pass", "P"],
  ["fail", null, "N"],
  ["fail", "unavailable", "N"],
  ["unchecked", "fail", "N"],
  // Neither part was checked.
  ["unavailable", "unavailable", "U"],
  ["unavailable", "unchecked", "U"],
  ["unchecked", "unchecked", null],
  [null, "unchecked", null],
  [null, null, null],
])("street %s and postal code %s are reported as %s: an unchecked part is never a mismatch", (line1, code, avs) => {
  const checks = { address_line1_check: line1, address_postal_code_check: code, cvc_check: "pass" };
  const card = { brand: "visa", last4: "4242", exp_month: 1, exp_year: 2030, checks };
  const charge = { status: "succeeded", outcome: null, payment_method_details: { type: "card", card } };
  const intent = { status: "succeeded", metadata: {}, latest_charge: charge } as unknown as Stripe.PaymentIntent;
  expect(authorizationStatus(intent)).toMatchObject({
    kind: "approved",
    checks: { avs_result: avs, cvv_result: "M" },
  });
});
