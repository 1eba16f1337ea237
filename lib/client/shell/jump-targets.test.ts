import { describe, expect, test } from "vitest";
import { jumpTargets } from "./jump-targets";

const PAYMENT = "pay_01m7z6tpx1f3wbxbn8mrhee3tk";
const hrefs = (typed: string) => jumpTargets(typed, "test").map(({ href }) => href);

describe("jumpTargets", () => {
  test("leads from an id to its page, in this mode first", () => {
    expect(hrefs(PAYMENT)).toEqual([`/test/payments/${PAYMENT}`, `/live/payments/${PAYMENT}`]);
    expect(jumpTargets(PAYMENT, "live")[0]?.href).toBe(`/live/payments/${PAYMENT}`);
    expect(hrefs(PAYMENT.replace("pay", "txn"))[0]).toBe(`/test/transactions/${PAYMENT.replace("pay", "txn")}`);
    expect(hrefs(PAYMENT.replace("pay", "plan"))[0]).toBe(`/test/plans/${PAYMENT.replace("pay", "plan")}`);
    expect(hrefs(PAYMENT.replace("pay", "cust"))[0]).toBe(`/test/customers/${PAYMENT.replace("pay", "cust")}`);
    expect(hrefs(PAYMENT.replace("pay", "req"))[0]).toBe(`/test/developers/requests/${PAYMENT.replace("pay", "req")}`);
    expect(hrefs(PAYMENT.replace("pay", "key"))[0]).toBe(`/test/developers/api-keys#${PAYMENT.replace("pay", "key")}`);
  });

  test("reads a pasted id with space around it, or in capitals", () => {
    expect(hrefs(`  ${PAYMENT.toUpperCase()}\n`)[0]).toBe(`/test/payments/${PAYMENT}`);
  });

  test("offers nothing for a secret, which would otherwise end up in a URL", () => {
    for (const text of ["4242 4242 4242 4242", "cst_2rXn8QvLw5TzKb4HyJm7PdGc9FsAe3Ru", "x whsec_Q0w3bVh2c1RhZ2Y5"])
      expect(hrefs(text), text).toEqual([]);
  });

  test("offers nothing for an incomplete id", () => {
    expect(hrefs(PAYMENT.slice(0, 12))).toEqual([]);
  });

  test("leads from an invoice's number to the list with it", () => {
    expect(hrefs("inv-000029")).toEqual(["/test/invoices?q=inv-000029"]);
    expect(hrefs(PAYMENT.replace("pay", "inv"))[0]).toBe(`/test/invoices/${PAYMENT.replace("pay", "inv")}`);
    expect(hrefs(PAYMENT.replace("pay", "sub"))[0]).toBe(`/test/subscriptions/${PAYMENT.replace("pay", "sub")}`);
    expect(hrefs(PAYMENT.replace("pay", "pm"))[0]).toBe(`/test/payment-methods/${PAYMENT.replace("pay", "pm")}`);
  });

  test("finds a customer's payments, subscriptions and invoices by e-mail address", () => {
    for (const text of ["jo@example.com", "jo@"]) {
      const q = encodeURIComponent(text);
      expect(hrefs(text), text).toEqual(
        ["transactions", "subscriptions", "invoices"].map((list) => `/test/${list}?q=${q}`),
      );
    }
  });

  test("searches transactions for the last four digits and an amount", () => {
    for (const text of ["4242", "12.50", "1,234.50", "$19.99", "19.99 EUR"]) {
      expect(hrefs(text), text).toEqual([`/test/transactions?q=${encodeURIComponent(text)}`]);
    }
  });

  test("treats a single word as a possible idempotency key", () => {
    expect(hrefs("order-4711/a")).toEqual([
      "/test/developers/idempotency?key=order-4711%2Fa",
      "/test/transactions?q=order-4711%2Fa",
      "/test/subscriptions?q=order-4711%2Fa",
      "/test/invoices?q=order-4711%2Fa",
    ]);
    expect(hrefs("two words")).toEqual(["/test/transactions?q=two%20words"]);
    expect(hrefs("   ")).toEqual([]);
  });
});
