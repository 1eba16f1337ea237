import { expect, test } from "vitest";
import { DEFAULT_SUBSCRIPTION_SETTINGS } from "@/lib/contract/subscriptions/settings";
import { afterSoftDecline, afterUnsentAttempt, isHardDecline } from "./dunning";

const base = { now: "2026-03-27T09:00:00.000Z", timeZone: "Europe/Berlin" };

test("a soft decline is retried after 3, 5 and 7 days at the same time of day, and then no more", () => {
  expect([0, 1, 2, 3].map((step) => afterSoftDecline(DEFAULT_SUBSCRIPTION_SETTINGS, { ...base, step }))).toEqual([
    { kind: "later", at: "2026-03-30T08:00:00.000Z", step: 1 },
    { kind: "later", at: "2026-04-01T08:00:00.000Z", step: 2 },
    { kind: "later", at: "2026-04-03T08:00:00.000Z", step: 3 },
    { kind: "over" },
  ]);
});

test.each(["lost_card", "stolen_card", "fraud_suspected", "expired_card", "incorrect_number"] as const)(
  "%s is a hard decline",
  (declineCode) => expect(isHardDecline(declineCode)).toBe(true),
);

test.each(["insufficient_funds", "authentication_failed", "generic_decline", "processing_error", null] as const)(
  "%s is retried",
  (declineCode) => expect(isHardDecline(declineCode)).toBe(false),
);

test("an attempt that reached no issuer is repeated hourly for a day", () => {
  expect([0, 23, 24].map((unsent) => afterUnsentAttempt(unsent, base.now))).toEqual([
    "2026-03-27T10:00:00.000Z",
    "2026-03-27T10:00:00.000Z",
    null,
  ]);
});
