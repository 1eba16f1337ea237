import { expect, test } from "vitest";
import { placeRefusals } from "@/lib/client/use-form";
import {
  originTyped,
  placeSessionRefusal,
  readSession,
  type SessionFormValues,
  sessionFormValues,
} from "./session-form";

const typed = (values: Partial<SessionFormValues>) => ({ ...sessionFormValues("USD", null), ...values });

const refusals = (values: Partial<SessionFormValues>) => readSession(typed(values)).errors;

test("typed values become the request's body, without empty ones", () => {
  expect(readSession(typed({ amount: "1,234.5", customer_email: " ada@x.example " })).body).toMatchObject({
    plan_id: null,
    amount: 123_450,
    currency: "USD",
    customer_email: "ada@x.example",
    customer_name: null,
    allowed_origins: [],
    return_url: null,
    capture_method: "automatic",
  });
  const plan = typed({ sell: "plan", plan_id: "plan_1", amount: "nonsense" });
  expect(readSession(plan).body).toMatchObject({ plan_id: "plan_1", amount: null, currency: null });
});

test("each error is shown at its own field", () => {
  expect(refusals({})).toEqual({ amount: "Enter the amount." });
  expect(refusals({ amount: "0" })).toEqual({ amount: expect.stringContaining("above zero") });
  expect(refusals({ amount: "1.999" })).toEqual({ amount: "Use at most 2 decimals in USD." });
  expect(refusals({ amount: "1.5", currency: "JPY" })).toEqual({ amount: "JPY has no decimals." });
  expect(refusals({ amount: "99999999999999" })).toEqual({ amount: "The amount is above the limit for one payment." });
  expect(refusals({ sell: "plan" })).toEqual({ plan_id: "Choose a plan." });
  const origins = ["", "https://a.example", "https://a.example/path"];
  expect(refusals({ amount: "1", customer_email: "x", return_url: "x", allowed_origins: origins })).toEqual({
    return_url: "Use a full URL that begins with https://.",
    "allowed_origins.2": expect.stringContaining("Send https://a.example"),
  });
});

test("a server error is shown at the field that it names, past empty lines", () => {
  const values = typed({ allowed_origins: ["", "https://a.example"] });
  const { fields, others } = placeRefusals(
    [
      { param: "allowed_origins.0", message: "no" },
      { param: "currency", message: "not taken" },
      { param: "metadata", message: "odd" },
    ],
    (refusal) => placeSessionRefusal(refusal, values),
  );
  expect(Object.keys(fields)).toEqual(["allowed_origins.1", "currency"]);
  expect(others).toHaveLength(1);
});

test("a pasted URL is reduced to its origin", () => {
  expect(originTyped("shop.example/cart?x=1")).toBe("https://shop.example");
  expect(originTyped(" https://Shop.Example:8443/cart ")).toBe("https://shop.example:8443");
  expect(originTyped("localhost:3000")).toBe("http://localhost:3000");
  expect(originTyped("127.0.0.1:4000/x")).toBe("http://127.0.0.1:4000");
  expect(originTyped("ftp://shop.example")).toBe("ftp://shop.example");
  expect(originTyped("not an address")).toBe("not an address");
  expect(originTyped("")).toBe("");
});
