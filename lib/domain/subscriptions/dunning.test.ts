import { expect, test } from "vitest";
import { afterFailedTry, DUNNING } from "./dunning";

const base = { declineCode: "insufficient_funds", now: "2026-03-27T09:00:00.000Z", timeZone: "Europe/Berlin" } as const;

test("a soft decline is retried after 3, 5 and 7 days at the same time of day, and then no more", () => {
  expect([0, 1, 2, 3].map((step) => afterFailedTry(DUNNING, { ...base, step }))).toEqual([
    { kind: "later", at: "2026-03-30T08:00:00.000Z", step: 1 },
    { kind: "later", at: "2026-04-01T08:00:00.000Z", step: 2 },
    { kind: "later", at: "2026-04-03T08:00:00.000Z", step: 3 },
    { kind: "over" },
  ]);
});

test.each(["lost_card", "stolen_card", "fraud_suspected", "expired_card", "incorrect_number"] as const)(
  "%s waits for another card, whatever the step",
  (declineCode) => {
    expect([0, 3].map((step) => afterFailedTry(DUNNING, { ...base, step, declineCode }))).toEqual([
      { kind: "waits" },
      { kind: "waits" },
    ]);
  },
);

test.each(["authentication_failed", "generic_decline", "processing_error", null] as const)(
  "%s is tried again",
  (declineCode) => {
    expect(afterFailedTry(DUNNING, { ...base, step: 0, declineCode }).kind).toBe("later");
  },
);
