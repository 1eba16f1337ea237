import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { charge } from "@/lib/contract/example-objects";
import { COLUMN_NAMES, columnMembers } from "@/lib/contract/transactions/columns";
import { EXPORT_FIELDS, type ExportedTransaction, exportFieldsOf } from "@/lib/contract/transactions/export";
import { type SheetOptions, sheetParts } from "./spreadsheet";
import { columnsForPeople, columnsForPrograms } from "./transaction-sheet";

const transaction = (overrides: Partial<ExportedTransaction> = {}): ExportedTransaction => ({
  ...charge,
  fee: null,
  net: null,
  ...overrides,
});

async function lines(options: Partial<SheetOptions>, ...rows: ExportedTransaction[]) {
  const whole = { format: "csv", locale: "en-US", timeZone: "America/Los_Angeles", title: "T", ...options } as const;
  const columns = (whole.format === "csv" ? columnsForPrograms : columnsForPeople)(EXPORT_FIELDS);
  let text = "";
  for await (const part of sheetParts([rows] as never, columns, whole)) text += part;
  const delimiter = text.includes("Transaction id;") ? ";" : ",";
  return parse(text, { columns: true, bom: true, delimiter }) as Record<string, string>[];
}
const plain = (...rows: ExportedTransaction[]) => lines({}, ...rows);
const german = (...rows: ExportedTransaction[]) => lines({ format: "csv_excel", locale: "de-DE" }, ...rows);

describe("a transaction in a file for programs", () => {
  test("amounts are in major and in minor units of their currency", async () => {
    const [dollars, yen, dinars] = await plain(
      transaction({ amount: 123_450, currency: "USD" }),
      transaction({ amount: 5_000, currency: "JPY" }),
      transaction({ amount: 1_005, currency: "KWD" }),
    );
    expect(dollars).toMatchObject({ amount: "1234.50", amount_minor: "123450", currency: "USD" });
    expect(yen).toMatchObject({ amount: "5000", amount_minor: "5000" });
    expect(dinars).toMatchObject({ amount: "1.005", amount_minor: "1005" });
  });

  test("a refund is negative only in its own columns; the others are as in the API", async () => {
    const refund = { type: "REFUND", status: "CAPTURED", amount: 5, currency: "USD", fee: 0, net: -5 } as const;
    const [paid, refunded] = await plain(
      transaction({ amount: 995, currency: "USD", fee: 29, net: 966 }),
      transaction(refund),
    );
    expect(paid).toMatchObject({ signed_amount: "9.95", fee: "0.29", fee_minor: "29", net: "9.66", net_minor: "966" });
    expect(refunded).toMatchObject({ status: "CAPTURED", amount: "0.05", amount_minor: "5", signed_amount: "-0.05" });
    expect(refunded).toMatchObject({ fee: "0.00", net: "-0.05", net_minor: "-5" });
  });

  test("an unknown fee is empty", async () => {
    expect((await plain(transaction()))[0]).toMatchObject({ fee: "", fee_minor: "", net: "", net_minor: "" });
  });

  test("times are ISO 8601 in UTC, and again with the offset of the business", async () => {
    const [row] = await plain(transaction({ created_at: "2027-01-01T01:30:00.120Z" }));
    expect(row).toMatchObject({
      created_at: "2027-01-01T01:30:00.120Z",
      created_at_local: "2026-12-31T17:30:00.120-08:00",
    });
  });

  test("text and metadata are as in the API", async () => {
    const given = {
      customer_name: "Zoë Müller",
      customer_id: "000123",
      description: "Discount 10%, -5 EUR",
      metadata: { note: "x,-1", tags: "a;+b", formula: "=1+1" },
      billing_address: { ...(charge.billing_address as object), line1: "Flat 3, +44 20 7946 0000" } as never,
    };
    const [row] = await plain(transaction(given));
    expect(row).toMatchObject({
      customer_name: "Zoë Müller",
      customer_id: "000123",
      description: "Discount 10%, -5 EUR",
      billing_line1: "Flat 3, +44 20 7946 0000",
    });
    expect(JSON.parse(row?.metadata ?? "")).toEqual(given.metadata);
  });

  test("the first columns are those of earlier files", async () => {
    expect(EXPORT_FIELDS.slice(0, 4)).toEqual(["id", "payment_id", "type", "status"]);
    expect(EXPORT_FIELDS.indexOf("signed_amount")).toBe(49);
    expect(Object.keys((await plain(transaction()))[0] ?? {})).toEqual([...EXPORT_FIELDS]);
  });

  test("every member of a transaction is exported", () => {
    const members = Object.keys(charge).filter(
      (name) => !["object", "available_actions", "billing_address", "dispute"].includes(name),
    );
    expect(members.filter((name) => !EXPORT_FIELDS.some((field) => field === name))).toEqual([]);
  });

  test("columns of the table become their fields, each once; an unknown column is refused", () => {
    expect(exportFieldsOf(["amount", "card", "amount_refunded", "created_at"])).toEqual([
      ...["amount", "amount_minor", "currency", "fee", "net", "card_brand", "card_last4"],
      ...["amount_refunded", "amount_refunded_minor", "created_at", "created_at_local"],
    ]);
    expect(exportFieldsOf(["amount", "password_hash"])).toBeNull();
    expect(exportFieldsOf(["constructor"])).toBeNull();
  });

  test("every column of the table can be exported", () => {
    expect(COLUMN_NAMES.filter((name) => exportFieldsOf(columnMembers([name])) === null)).toEqual([]);
  });
});

describe("a transaction in a file for people", () => {
  test("has words for codes, local times beside UTC, and the net amount beside the amount", async () => {
    const [row] = await german(
      transaction({
        status: "PARTIALLY_REFUNDED",
        decline_code: "insufficient_funds",
        card_brand: "amex",
        amount: 123_456,
        currency: "EUR",
        fee: 3_610,
        net: 119_846,
        created_at: "2027-01-01T01:30:00.000Z",
      }),
      transaction({ type: "REFUND", status: "SETTLED", refund_reason: "CUSTOMER_REQUEST" }),
    );
    expect(row).toMatchObject({
      Status: "Partially refunded",
      "Decline reason": "Insufficient funds",
      "Card brand": "American Express",
      Amount: "1234,56",
      Fee: "36,10",
      Net: "1198,46",
      Currency: "EUR",
      "Created (America/Los_Angeles)": "2026-12-31 17:30:00",
      "Created (UTC)": "2027-01-01 01:30:00",
    });
    const headings = Object.keys(row ?? {});
    expect(headings.slice(4, 9)).toEqual(["Amount", "Currency", "Signed amount", "Fee", "Net"]);
    expect(headings.filter((name) => name.includes("minor"))).toEqual([]);
    expect(new Set(headings).size).toBe(headings.length);
  });

  test("an accepted refund is refunded, and its reason is in words", async () => {
    const [row] = await german(
      transaction({
        type: "REFUND",
        status: "CAPTURED",
        refund_reason: "CUSTOMER_REQUEST",
        amount: 995,
        dispute: { id: "dp_1", status: "NEEDS_RESPONSE" },
      }),
    );
    expect(row).toMatchObject({ Type: "Refund", Status: "Refunded", "Refund reason": "Requested by the customer" });
    expect(row).toMatchObject({ "Signed amount": "-9,95", Dispute: "dp_1", "Dispute status": "Needs a response" });
  });
});
