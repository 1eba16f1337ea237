import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COLUMNS, readOrders } from "./orders";

const HEADER = COLUMNS.join(",");
const LINE = "2026-10-01T08:00:00Z,o1,1,c1,1999,EUR,credit_card,3,delivered";

describe("readOrders", () => {
  it("creates one payment per card row, keyed by order and sequence, and counts rows not paid by card", () => {
    const file = readOrders(
      [HEADER, LINE, LINE.replace(",1,c1", ",2,c1"), LINE.replace("o1", "o2").replace("credit_card", "voucher")].join(
        "\n",
      ),
    );
    expect(file.orders.map((order) => order.key)).toEqual(["o1-1", "o1-2"]);
    expect(file.orders[0]).toMatchObject({
      line: 2,
      amount: 1999,
      currency: "EUR",
      installments: 3,
      ending: "CAPTURED",
    });
    expect([file.rows, [...file.leftOut]]).toEqual([3, [["voucher", 1]]]);
  });

  it.each([
    ["delivered", "CAPTURED"],
    ["shipped", "CAPTURED"],
    ["invoiced", "CAPTURED"],
    ["canceled", "VOIDED"],
    ["unavailable", "REFUNDED"],
    ["processing", "AUTHORIZED"],
    ["created", "AUTHORIZED"],
    ["approved", "AUTHORIZED"],
  ])("ends the payment of an order that is %s as %s", (status, ending) => {
    expect(readOrders(`${HEADER}\n${LINE.replace("delivered", status)}\n`).orders[0]?.ending).toBe(ending);
  });

  it.each([
    ["purchased_at", LINE.replace("2026-10-01T08:00:00Z", "2026-02-30T08:00:00Z")],
    ["order_id", LINE.replace("o1", "")],
    ["payment_sequential", LINE.replace(",1,c1", ",0,c1")],
    ["customer_id", LINE.replace("c1", "")],
    ["amount_minor", LINE.replace("1999", "19.99")],
    ["amount_minor", LINE.replace("1999", "0")],
    ["amount_minor", LINE.replace("1999", "1000000000000")],
    ["currency", LINE.replace("EUR", "eur")],
    ["currency", LINE.replace("EUR", "XYZ")],
    ["payment_type", LINE.replace("credit_card", "")],
    ["installments", LINE.replace(",3,", ",three,")],
    ["order_status", LINE.replace("delivered", "Delivered!")],
  ])("names line and column of a bad %s: %s", (column, line) => {
    expect(() => readOrders(`${HEADER}\n${LINE.replace("o1", "o0")}\n${line}\n`)).toThrow(
      new RegExp(`line 3, column ${column}: `),
    );
  });

  it("refuses two rows with the same key, and names both lines", () => {
    expect(() => readOrders([HEADER, LINE, LINE].join("\n"))).toThrow(
      "line 3, column order_id: the same order_id and payment_sequential as on line 2",
    );
  });

  it("names the missing columns, a row of another width, broken quotes and an empty file", () => {
    expect(() => readOrders("order_id,amount_minor\n")).toThrow(
      "line 1: missing columns purchased_at, payment_sequential",
    );
    expect(() => readOrders(`${HEADER}\n${LINE},extra\n`)).toThrow(
      "line 2: 10 cells, but the first line names 9 columns",
    );
    expect(() => readOrders(`${HEADER}\n"${LINE}\n`)).toThrow("not valid CSV");
    expect(() => readOrders("")).toThrow("The file is empty");
  });

  it("accepts columns in any order, more columns, quotes, a byte order mark and Windows line ends", () => {
    const names = [...COLUMNS].reverse();
    const cells = [...LINE.split(",")].reverse().map((cell) => `"${cell}"`);
    const file = readOrders(`\ufeff${[...names, "note"].join(",")}\r\n${[...cells, "x"].join(",")}\r\n`);
    expect(file.orders).toMatchObject([{ key: "o1-1", amount: 1999, order_status: "delivered" }]);
  });

  it("reads the project's sample: every outcome, and currencies with 0, 2 and 3 decimals", () => {
    const file = readOrders(readFileSync(new URL("../sample-orders.csv", import.meta.url), "utf8"));
    expect(file.rows).toBe(43);
    expect(file.leftOut.size).toBe(1);
    expect(new Set(file.orders.map((order) => order.ending))).toEqual(
      new Set(["AUTHORIZED", "CAPTURED", "VOIDED", "REFUNDED"]),
    );
    expect(new Set(file.orders.map((order) => order.currency))).toEqual(
      new Set(["BRL", "EUR", "GBP", "JPY", "KWD", "USD"]),
    );
  });
});
