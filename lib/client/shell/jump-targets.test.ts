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

  test("offers nothing for a secret: whatever leads somewhere stands in an address", () => {
    for (const text of ["4242 4242 4242 4242", "cst_2rXn8QvLw5TzKb4HyJm7PdGc9FsAe3Ru", "x whsec_Q0w3bVh2c1RhZ2Y5"])
      expect(hrefs(text), text).toEqual([]);
  });

  test("offers nothing for an id that is not whole", () => {
    expect(hrefs(PAYMENT.slice(0, 12))).toEqual([]);
  });

  test("searches transactions for an e-mail address, the last four digits and an amount", () => {
    for (const text of ["jo@example.com", "jo@", "4242", "12.50", "1,234.50", "$19.99", "19.99 EUR"]) {
      expect(hrefs(text), text).toEqual([`/test/transactions?q=${encodeURIComponent(text)}`]);
    }
  });

  test("takes one word for an idempotency key, and may be wrong", () => {
    expect(hrefs("order-4711/a")).toEqual([
      "/test/developers/idempotency?key=order-4711%2Fa",
      "/test/transactions?q=order-4711%2Fa",
    ]);
    expect(hrefs("two words")).toEqual(["/test/transactions?q=two%20words"]);
    expect(hrefs("   ")).toEqual([]);
  });
});
