import { expect, test } from "vitest";
import { placeRefusals } from "@/lib/client/use-form";
import type { ApiKey } from "@/lib/contract/api-keys/api-keys";
import { limitsText } from "@/lib/contract/api-keys/limits-text";
import { expiryOf, type KeyFormValues, keyBody, keyFormOf, limitProblems, placeKeyRefusal } from "./key-form";

const values: KeyFormValues = {
  name: " Shop ",
  permissions: ["payment.create"],
  expiry: "never",
  kept: null,
  expiryDate: "",
  addresses: "203.0.113.7\n\n 10.0.0.0/8 \nnonsense\n",
  refundMax: "",
  refundsPerDay: "",
  refundAmountPerDay: "",
  currency: "USD",
};
const now = new Date("2026-11-21T10:00:00Z");

test("an expiry is the end of a day in the merchant's time zone: a number of days from now, or on a date", () => {
  const on = (expiryDate: string, zone: string) =>
    expiryOf({ expiry: "date", kept: null, expiryDate }, now, zone)?.toISOString();
  expect(expiryOf(values, now, "UTC")).toBeNull();
  const days = (expiry: "30d" | "90d" | "1y", zone: string, at = now) =>
    expiryOf({ expiry, kept: null, expiryDate: "" }, at, zone)?.toISOString();
  expect(days("30d", "UTC")).toBe("2026-12-21T23:59:59.999Z");
  expect(days("90d", "Asia/Tokyo", new Date("2026-11-21T15:00:00Z"))).toBe("2027-02-20T14:59:59.999Z");
  expect(days("1y", "America/New_York")).toBe("2027-11-22T04:59:59.999Z");
  expect(on("2026-12-31", "UTC")).toBe("2026-12-31T23:59:59.999Z");
  expect(on("2026-12-31", "America/New_York")).toBe("2027-01-01T04:59:59.999Z");
  expect(on("2026-07-01", "Europe/Berlin")).toBe("2026-07-01T21:59:59.999Z");
  expect(on("", "UTC")).toBeUndefined();
  for (const typed of ["9999-12-31", "12026-01-01", "275760-12-31"]) expect(on(typed, "UTC")).toBeUndefined();
});

test("the same form sent from two tabs on one day is the same request", () => {
  const sentAt = (at: string) => {
    const form = { ...values, expiry: "30d" as const };
    return keyBody(form, expiryOf(form, new Date(at), "Europe/Berlin"));
  };
  expect(sentAt("2026-11-21T10:00:00.000Z")).toEqual(sentAt("2026-11-21T10:00:07.500Z"));
  expect(sentAt("2026-11-20T23:00:00.000Z")).toEqual(sentAt("2026-11-21T22:59:59.999Z"));
});

test("the form shows an existing key's settings and its expiry unless another is chosen", () => {
  const kept = "2027-01-01T00:00:00.000Z";
  const key = {
    name: "Shop",
    permissions: ["event.read"],
    expires_at: kept,
    ip_allow_list: ["10.0.0.0/8", "203.0.113.7"],
    limits: null,
  };
  const form = keyFormOf(key as ApiKey, []);
  expect(keyBody(form, expiryOf(form, now, "UTC"))).toEqual({
    name: "Shop",
    permissions: ["event.read"],
    expires_at: kept,
    ip_allow_list: ["10.0.0.0/8", "203.0.113.7"],
    limits: null,
  });
  expect(expiryOf({ ...form, expiry: "never" }, now, "UTC")).toBeNull();
  expect(keyFormOf(null, ["event.read"])).toMatchObject({ name: "", permissions: ["event.read"], expiry: "never" });
});

test("blank lines and white space are ignored", () => {
  expect(keyBody(values, now)).toEqual({
    name: "Shop",
    permissions: ["payment.create"],
    expires_at: "2026-11-21T10:00:00.000Z",
    ip_allow_list: ["203.0.113.7", "10.0.0.0/8", "nonsense"],
    limits: null,
  });
});

test("a rejected address is reported with its line, and errors without a field are shown", () => {
  const refusals = [
    { param: "ip_allow_list.2", message: "'nonsense' is neither." },
    { param: "name", message: "Give the key a name." },
    { param: "attempt", message: "Not a UUID." },
  ];
  expect(placeRefusals(refusals, (refusal) => placeKeyRefusal(refusal, values))).toEqual({
    fields: { addresses: "Line 4: 'nonsense' is neither.", name: "Give the key a name." },
    others: ["Not a UUID."],
  });
});

test("limits are shown, changed and sent in the currency's own units, and only with the permission to refund", () => {
  const limits = { refund_max: 1_250, refunds_per_day: 3, refund_amount_per_day: null, currency: "JPY" };
  const form = keyFormOf({ permissions: ["transaction.refund"], ip_allow_list: [], limits } as unknown as ApiKey, []);
  expect(form).toMatchObject({ refundMax: "1250", refundsPerDay: "3", refundAmountPerDay: "", currency: "JPY" });
  expect(keyBody(form, null).limits).toEqual(limits);
  const dollars = { ...form, refundMax: "12.50", refundsPerDay: "", currency: "USD" };
  expect(keyBody(dollars, null).limits).toEqual({ ...limits, refunds_per_day: null, currency: "USD" });
  expect(keyBody({ ...dollars, refundMax: "" }, null).limits).toBeNull();
  expect(keyBody({ ...form, permissions: [] }, null).limits).toBeNull();
  // It may cancel a subscription with a refund.
  expect(keyBody({ ...form, permissions: ["subscription.write"] }, null).limits).toEqual(limits);
  expect(limitProblems({ ...form, refundMax: "12.50", refundsPerDay: "-1" })).toEqual({
    refundMax: expect.any(String),
    refundsPerDay: "Enter a whole number.",
    refundAmountPerDay: undefined,
  });
  expect(limitsText(limits)).toBe("¥1,250 a refund, 3 refunds a day");
});
