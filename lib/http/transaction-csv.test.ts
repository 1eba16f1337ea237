import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { charge } from "@/lib/contract/example-objects";
import { COLUMN_NAMES, columnMembers } from "@/lib/contract/transactions/columns";
import { EXPORT_FIELDS, exportFieldsOf } from "@/lib/contract/transactions/export";
import type { Transaction } from "@/lib/contract/transactions/transaction";
import { csvHeader, csvPieces, withoutFormulas } from "./transaction-csv";

const transaction = (overrides: Partial<Transaction> = {}): Transaction => ({ ...charge, ...overrides });
const csvLines = (...given: Parameters<typeof csvPieces>) => [...csvPieces(...given)].join("");
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

  test("a refund is money going out, by its own column alone: the others are the API's", () => {
    const [paid, refunded] = whole(
      transaction({ amount: 995, currency: "USD" }),
      transaction({ type: "REFUND", status: "CAPTURED", amount: 995, currency: "USD" }),
    );
    expect(paid).toMatchObject({ signed_amount: "9.95" });
    expect(refunded).toMatchObject({ status: "CAPTURED", amount: "9.95", amount_minor: "995", signed_amount: "-9.95" });
  });

  test("times are ISO 8601 in UTC", () => {
    expect(whole(transaction({ created_at: "2026-11-20T09:30:00.120Z" }))[0]?.created_at).toBe(
      "2026-11-20T09:30:00.120Z",
    );
  });

  test.each("=+-@＝＋－＠﹦﹢﹣﹫−".split(""))("a spreadsheet takes a text that begins with %s for text", (trigger) => {
    for (const before of ["", " ", "\u00a0", "\u200b", "\ufeff", '"', '" "']) {
      const text = `${before}${trigger}1+1`;
      expect(whole(transaction({ description: text }))[0]?.description).toBe(`${before}'${trigger}1+1`);
    }
  });

  test.each(["\t=1", "\r=1", "\n=1", "\t1", "\r1", "\n1"])("and one that begins with %j", (text) => {
    expect(csvLines([transaction({ description: text })], ["description"])).toMatch(/^"?'/);
  });

  test.each([";", ",", "\t", "|", "\r", "\n", "\r\n", "\u2028"])(
    "nothing is a formula for who splits the file at %j, whatever stands in quotes",
    (separator) => {
      for (const formula of ["=1+1", "+1", "-1", "@SUM(A1)", "＝1", ' "=1', '"=1"']) {
        const text = `a${separator}${formula}${separator} ${formula}`;
        const line = csvLines([transaction({ customer_name: text, metadata: { [text]: text } })], ["customer_name"]);
        const cells = line.split(separator === "\r\n" ? /\r\n/ : separator).slice(1);
        expect(cells.length).toBeGreaterThan(1);
        for (const cell of cells) expect(cell).not.toMatch(/^[\s"]*[=+\-@＝]/);
      }
    },
  );

  test("text without a formula is not touched, and dashes inside of it are none", () => {
    for (const text of ["12-34", "a=b", "Smith-Jones, Ann; 5 - 7", "x@y.example", "1,000.50", '{"a":"b"}', "'=1"]) {
      expect(whole(transaction({ description: text }))[0]?.description).toBe(text);
    }
  });

  test("amounts stay numbers, also below zero", () => {
    const [row] = whole(transaction({ amount: -995, amount_refunded: -1, currency: "USD" }));
    expect(row).toMatchObject({ amount: "-9.95", amount_minor: "-995", amount_refunded_minor: "-1" });
  });

  test("the guard takes time in proportion to the text, whatever it holds", () => {
    const msFor = (text: string) => {
      const before = process.cpuUsage();
      withoutFormulas(text);
      return process.cpuUsage(before).user / 1_000;
    };
    // Squared time would take a minute.
    for (const worst of ["\t", ' "', ";=", "\u200b"]) expect(msFor(worst.repeat(100_000))).toBeLessThan(1_500);
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

test("lines are written in short pieces, however long they are", () => {
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`key${i}`, "=x;".repeat(166)]));
  const rows = Array.from({ length: 200 }, (_, i) => transaction({ metadata: i % 2 === 0 ? metadata : {} }));
  const pieces = [...csvPieces(rows, EXPORT_FIELDS)];
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(3 * 64 * 1024);
  expect(read(csvHeader(EXPORT_FIELDS) + pieces.join(""))).toHaveLength(200);
  const short = [
    ...csvPieces(
      Array.from({ length: 120 }, () => transaction()),
      ["id"],
    ),
  ];
  expect(short.map((piece) => piece.trim().split("\n").length)).toEqual([50, 50, 20]);
});
