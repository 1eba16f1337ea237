import { expect, test } from "vitest";
import { trialKeys } from "./trial-keys";

const keys = (email: string | null) => trialKeys({ customerId: "c", email, card: null });

test("a mailbox is the same in any case and with any plus tag", () => {
  expect(keys("Ada+shop@Example.com")).toEqual(keys("ada@example.com"));
  expect(keys("ada@ex+ample.com")).not.toEqual(keys("ada@example.com"));
  expect(keys("ada@example.com")).not.toEqual(keys("bob@example.com"));
});

test("a customer's id is distinct from an equal card or address", () => {
  const all = trialKeys({ customerId: "x", email: "x", card: "x" });
  expect(new Set(all).size).toBe(3);
  expect(trialKeys({ customerId: "x", email: null, card: null })).toHaveLength(1);
});
