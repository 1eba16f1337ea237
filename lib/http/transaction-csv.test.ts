import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { COLUMN_NAMES, columnMembers } from "@/lib/client/transaction-columns";
import { charge } from "@/lib/contract/example-objects";
import type { Transaction } from "@/lib/contract/transaction";
import { EXPORT_FIELDS, exportFieldsOf } from "@/lib/contract/transaction-export";
import { csvHeader, csvLines } from "./transaction-csv";

const transaction = (overrides: Partial<Transaction> = {}): Transaction => ({ ...charge, ...overrides });
const read = (text: string): Record<string, string>[] => parse(text, { columns: true });
const whole = (...rows: Transaction[]) => read(csvHeader(EXPORT_FIELDS) + csvLines(rows, EXPORT_FIELDS));

describe("a transaction as a line of CSV", () => {
  test("amounts stand in major and in minor units of their currency", () => {
    const [dollars, yen, dinars] = whole(
      transaction({ amount: 123_450, currency: "USD" }),
      transaction({ amount: 5_000, currency: "JPY" }),
      transaction({ amount: 1_005, currency: "KWD" }),
    );
    expect(dollars).toMatchObject({ amount: "1234.50", amount_minor: "123450", currency: "USD" });
    expect(yen).toMatchObject({ amount: "5000", amount_minor: "5000" });
    expect(dinars).toMatchObject({ amount: "1.005", amount_minor: "1005" });
  });

  test("times are ISO 8601 in UTC", () => {
    expect(whole(transaction({ created_at: "2026-11-20T09:30:00.120Z" }))[0]?.created_at).toBe(
      "2026-11-20T09:30:00.120Z",
    );
  });

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])("a spreadsheet takes %j for text", (text) => {
    const line = csvLines([transaction({ description: text })], ["description"]);
    expect(line).toMatch(/^"?'/);
    expect(whole(transaction({ description: text }))[0]?.description).toBe(`'${text}`);
  });

  test.each(['Say "hi"', "a,b", "two\nlines", "two\r\nlines", "a\rb", " spaces ", "Ünïcode 漢字 🙂", ""])(
    "%j comes back as it was",
    (text) => {
      expect(whole(transaction({ customer_name: text }))[0]?.customer_name).toBe(text);
    },
  );

  test("a file has no byte order mark, a header, and every field", () => {
    expect(csvHeader(EXPORT_FIELDS).startsWith("id,payment_id,")).toBe(true);
    expect(Object.keys(whole(transaction())[0] ?? {})).toEqual([...EXPORT_FIELDS]);
  });

  test("every member of a transaction is exported", () => {
    const members = Object.keys(charge).filter(
      (name) => !["object", "available_actions", "billing_address"].includes(name),
    );
    expect(members.filter((name) => !EXPORT_FIELDS.some((field) => field === name))).toEqual([]);
  });

  test("columns of the table become their fields, each once; what is no column is refused", () => {
    expect(exportFieldsOf(["amount", "card", "amount_refunded"])).toEqual([
      "amount",
      "amount_minor",
      "currency",
      "card_brand",
      "card_last4",
      "amount_refunded",
      "amount_refunded_minor",
    ]);
    expect(exportFieldsOf(["amount", "password_hash"])).toBeNull();
    expect(exportFieldsOf(["constructor"])).toBeNull();
  });

  test("every column of the table can be exported", () => {
    expect(COLUMN_NAMES.filter((name) => exportFieldsOf(columnMembers([name])) === null)).toEqual([]);
  });
});
