import { expect, test } from "vitest";
import type { PaymentLink } from "@/lib/contract/checkout/payment-link";
import { instantIn, linkEditValues, linkFormValues, readLink, readLinkEdit } from "./link-form";

const NOW = Date.parse("2026-11-20T09:30:00.000Z");
const ZONE = "America/New_York";
const values = (changes: object) => ({ ...linkFormValues("USD", null, false), ...changes });

const LINK: PaymentLink = {
  id: "plink_00000000000000000000000000",
  object: "payment_link",
  url: "https://pay.example/link/x",
  status: "EXPIRED",
  name: null,
  plan_id: null,
  amount: 1_999,
  currency: "USD",
  description: "A poster",
  single_use: false,
  asks_email: true,
  active: true,
  expires_at: "2026-11-01T04:59:30.250Z",
  created_at: "2026-10-01T00:00:00.000Z",
  updated_at: "2026-10-01T00:00:00.000Z",
};

test("a local time is read in the business's zone, in summer and in winter", () => {
  expect(instantIn(ZONE, "2026-07-01T12:00")).toBe("2026-07-01T16:00:00.000Z");
  expect(instantIn(ZONE, "2026-12-01T12:00")).toBe("2026-12-01T17:00:00.000Z");
  expect(instantIn("Asia/Kathmandu", "2026-12-01T00:00")).toBe("2026-11-30T18:15:00.000Z");
  // The clocks go back that night, and forward in spring.
  expect(instantIn(ZONE, "2026-11-01T03:00")).toBe("2026-11-01T08:00:00.000Z");
  expect(instantIn(ZONE, "2026-03-08T03:30")).toBe("2026-03-08T07:30:00.000Z");
  for (const text of ["", "2026-12-01", "2026-13-01T12:00", "tomorrow"]) expect(instantIn(ZONE, text)).toBeNull();
});

test("each problem is reported at its field, and only a complete link has a body", () => {
  expect(readLink(values({}), ZONE, NOW)).toMatchObject({
    body: null,
    errors: { amount: "Enter the amount.", description: "Describe what you sell." },
  });
  const plan = values({ sell: "plan" });
  expect(readLink(plan, ZONE, NOW).errors).toEqual({ plan_id: "Choose a plan." });
  const past = values({ amount: "19.99", description: "A poster", expiry: "at", expires_at: "2026-11-20T04:30" });
  expect(readLink(past, ZONE, NOW).errors).toEqual({ expires_at: "Choose a time in the future." });
  expect(readLink({ ...past, expires_at: "2026-11-20T04:31", use: "once" }, ZONE, NOW).body).toMatchObject({
    amount: 1_999,
    currency: "USD",
    plan_id: null,
    description: "A poster",
    name: null,
    single_use: true,
    expires_at: "2026-11-20T09:31:00.000Z",
  });
});

test("an unchanged past time is kept to the millisecond; a new time must be in the future", () => {
  const before = linkEditValues(LINK, ZONE);
  expect(before).toEqual({
    name: "",
    description: "A poster",
    expiry: "at",
    expires_at: "2026-11-01T00:59",
    asks_email: true,
  });
  expect(readLinkEdit(before, LINK, ZONE, NOW)).toEqual({ body: null, errors: {} });
  expect(readLinkEdit({ ...before, name: "Spring" }, LINK, ZONE, NOW).body).toEqual({
    name: "Spring",
    description: "A poster",
    expires_at: LINK.expires_at,
    asks_email: true,
  });
  expect(readLinkEdit({ ...before, expires_at: "2026-11-02T00:00" }, LINK, ZONE, NOW).errors).toEqual({
    expires_at: "Choose a time in the future.",
  });
  expect(readLinkEdit({ ...before, expiry: "never" }, LINK, ZONE, NOW).body).toMatchObject({ expires_at: null });
  expect(readLinkEdit({ ...before, description: " " }, LINK, ZONE, NOW).errors).toEqual({
    description: "Describe what you sell.",
  });
});
