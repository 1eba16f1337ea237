import { beforeEach, describe, expect, test } from "vitest";
import { UnreadableStatementError } from "../records";
import { readAccountingReport } from "./accounting-report";

const ACCOUNT = "ExampleShopECOM";
const PSP = "8835511210681324";
const REFERENCE = "0199a1b2-0000-7000-8000-000000000001";
const CAPTURE = "0199a1b2-0000-7000-8000-000000000002";
const REFUND = "0199a1b2-0000-7000-8000-000000000003";

/** Columns in another order than in Adyen's description, with extra ones, one of which has card data. */
const HEADER = [
  ...["Company Account", "Record Type", "Merchant Account", "Psp Reference", "Merchant Reference", "Payment Method"],
  ...["Booking Date", "TimeZone", "Main Currency", "Main Amount", "Payment Currency", "Received (PC)"],
  ...["Authorised (PC)", "Captured (PC)", "Settlement Currency", "Payable (SC)", "Card Summary"],
  ...["Modification Psp Reference", "Modification Merchant Reference"],
];
type Cells = Partial<Record<string, string>>;
const bytes = (text: string) => new TextEncoder().encode(text);

let minute = 0;
beforeEach(() => {
  minute = 0;
});
/** A line, one minute after the previous one. */
function line(type: string, cells: Cells = {}): string[] {
  minute += 1;
  const all: Cells = {
    "Company Account": "ExampleShop",
    "Merchant Account": ACCOUNT,
    "Record Type": type,
    "Psp Reference": PSP,
    "Merchant Reference": REFERENCE,
    "Payment Method": "visa",
    TimeZone: "UTC",
    "Booking Date": new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString().slice(0, 19).replace("T", " "),
    "Main Currency": "EUR",
    "Payment Currency": "EUR",
    "Card Summary": "4242",
    ...cells,
  };
  return HEADER.map((name) => all[name] ?? "");
}
const csv = (rows: string[][], header: string[] = HEADER, sign = ",") =>
  [header, ...rows].map((cells) => cells.join(sign)).join("\r\n");
const fileOf = (rows: string[][], name = "report.csv") => ({ name, bytes: bytes(csv(rows)) });
const read = (...rows: string[][]) => readAccountingReport([fileOf(rows)], ACCOUNT);
const entryOf = (...rows: string[][]) => read(...rows).entries.find(({ kind }) => kind === "payment");

const received = (amount: string, cells: Cells = {}) => line("Received", { "Received (PC)": amount, ...cells });
const authorised = (amount: string, cells: Cells = {}) =>
  line("Authorised", { "Received (PC)": `-${amount}`, "Authorised (PC)": amount, ...cells });
const captured = (amount: string, cells: Cells = {}) =>
  line("SentForSettle", {
    "Authorised (PC)": `-${amount}`,
    "Captured (PC)": amount,
    "Modification Psp Reference": "CAPTURE000000001",
    "Modification Merchant Reference": CAPTURE,
    ...cells,
  });
const refund = (type: string, amount: string, cells: Cells = {}) =>
  line(type, {
    "Captured (PC)": amount,
    "Modification Psp Reference": "REFUND0000000001",
    "Modification Merchant Reference": REFUND,
    ...cells,
  });

describe("a payment", () => {
  test("that was authorized has the original's references, amount and time, and nothing was captured", () => {
    const report = read(received("12.30"), authorised("12.30"));
    expect(report.entries).toEqual([
      {
        kind: "payment",
        object: { kind: "payment", id: PSP },
        reference: REFERENCE,
        currency: "EUR",
        amount: 1_230,
        state: "authorized",
        captured: 0,
        refunded: 0,
        created_at: new Date("2026-11-20T09:01:00Z"),
      },
    ]);
    expect(report).toMatchObject({ complete: true, unchecked: [] });
    expect([report.from, report.until]).toEqual([new Date("2026-11-20T09:01:00Z"), new Date("2026-11-20T09:02:01Z")]);
  });

  test.each([
    ["Received", [], "pending"],
    ["AuthorisedPending", [line("AuthorisedPending")], "pending"],
    ["Retried", [line("Retried")], "pending"],
    ["Refused", [line("Refused", { "Received (PC)": "-12.30" })], "declined"],
    ["Error", [line("Error", { "Received (PC)": "-12.30" })], "declined"],
    ["Cancelled", [authorised("12.30"), line("Cancelled", { "Authorised (PC)": "-12.30" })], "voided"],
    ["Expired", [authorised("12.30"), line("Expired", { "Authorised (PC)": "-12.30" })], "voided"],
    ["SettleScheduled", [authorised("12.30"), line("SettleScheduled")], "authorized"],
    ["SentForSettle", [authorised("12.30"), captured("12.30")], "captured"],
  ])("with the record type %s is treated as such", (_, rows, state) => {
    const report = read(received("12.30"), ...rows);
    expect(report.entries).toMatchObject([{ amount: 1_230, state, captured: state === "captured" ? 1_230 : 0 }]);
    expect(report.entries[0]).not.toHaveProperty("part");
    expect(report.unchecked).toEqual([]);
  });

  test("is captured in part, and the rest of the hold is released", () => {
    const entry = entryOf(received("12.30"), authorised("12.30"), captured("10.00"), line("Cancelled"));
    expect(entry).toMatchObject({ amount: 1_230, captured: 1_000, state: "captured" });
  });

  test.each(["Settled", "SettledExternally", "SettledExternallyWithInfo"])(
    "that is captured is not captured twice when it is paid out, less the fees: %s",
    (type) => {
      const paidOut = line(type, { "Captured (PC)": "-12.30", "Main Amount": "11.90", "Payable (SC)": "11.90" });
      const entry = entryOf(received("12.30"), authorised("12.30"), captured("12.30"), paidOut);
      expect(entry).toMatchObject({ amount: 1_230, captured: 1_230, state: "captured" });
    },
  );

  test("whose capture failed is held again, and captured when the capture is repeated", () => {
    const failed = line("CaptureFailed", { "Captured (PC)": "-12.30", "Authorised (PC)": "12.30" });
    const before = [received("12.30"), authorised("12.30"), captured("12.30"), failed];
    expect(entryOf(...before)).toMatchObject({ captured: 0, state: "authorized" });
    expect(entryOf(...before, captured("12.30"))).toMatchObject({ captured: 1_230, state: "captured" });
  });

  test("takes its amounts from Main Amount if its registers are empty, unless that is in another currency", () => {
    const main = { "Main Amount": "12.30", "Received (PC)": "", "Authorised (PC)": "", "Captured (PC)": "0.00" };
    const entry = entryOf(received("", main), authorised("12.30", main), captured("12.30", main));
    expect(entry).toMatchObject({ amount: 1_230, captured: 1_230 });
    const other = { ...main, "Main Currency": "USD", "Main Amount": "13.00" };
    const report = read(received("12.30"), authorised("12.30"), captured("12.30", other));
    // The entry is neither compared nor reported as missing.
    expect(report.entries).toMatchObject([{ part: { captured: 0, settled: 0, released: false } }]);
    expect(report).toMatchObject({ complete: false, unchecked: [expect.stringContaining("no amount")] });
  });

  test.each([
    [[captured("12.30")], { captured: 1_230, settled: 0, released: false }, 1_230],
    [[line("Settled", { "Captured (PC)": "-12.30" })], { captured: 0, settled: 1_230, released: false }, 1_230],
    [[line("CaptureFailed", { "Captured (PC)": "-12.30" })], { captured: -1_230, settled: 0, released: false }, 1_230],
    [[line("Expired")], { captured: 0, settled: 0, released: true }, 0],
  ])("that began before the report is partly known", (rows, part, amount) => {
    const report = read(...rows);
    expect(report.entries).toMatchObject([{ kind: "payment", amount, part }]);
    expect(report.complete).toBe(false);
  });

  test.each([
    ["JPY", "500", 500],
    ["JPY", "500.00", 500],
    ["CLP", "5000", 5_000],
    ["ISK", "700.00", 700],
    ["BHD", "12.345", 12_345],
    ["IDR", "15000", 1_500_000],
    ["USD", "0.1", 10],
    ["CLF", "1.2345", 12_345],
  ])("has an amount in ISO's minor units: %s %s", (currency, amount, minor) => {
    const cells = { "Payment Currency": currency, "Main Currency": currency };
    expect(entryOf(received(amount, cells))).toMatchObject({ currency, amount: minor });
  });
});

describe("a refund", () => {
  const payment = () => [received("50.00"), authorised("50.00"), captured("50.00")];
  const refundsOf = (...rows: string[][]) =>
    read(...payment(), ...rows).entries.filter(({ kind }) => kind === "refund");

  test("has its own references, is sent and then paid back, and is deducted from its payment once", () => {
    const report = read(
      ...payment(),
      refund("SentForRefund", "-20.00", { "Main Amount": "-20.00" }),
      refund("Refunded", "20.00", { "Main Amount": "-20.60" }),
    );
    expect(report.entries).toMatchObject([
      { kind: "payment", captured: 5_000, refunded: 2_000 },
      {
        kind: "refund",
        object: { kind: "refund", id: "REFUND0000000001" },
        reference: REFUND,
        payment: PSP,
        amount: 2_000,
        currency: "EUR",
        state: "succeeded",
        created_at: new Date("2026-11-20T09:04:00Z"),
      },
    ]);
  });

  test.each([
    ["SentForRefund", "pending", 2_000],
    ["Refunded", "succeeded", 2_000],
    ["RefundedExternally", "succeeded", 2_000],
    ["RefundedExternallyWithInfo", "succeeded", 2_000],
    ["RefundFailed", "failed", 0],
    ["RefundedReversed", "failed", 0],
  ])("whose last record type is %s is %s", (type, state, refunded) => {
    const report = read(...payment(), refund("SentForRefund", "-20.00"), refund(type, "20.00"));
    expect(report.entries).toMatchObject([{ refunded }, { kind: "refund", state, amount: 2_000 }]);
  });

  test("that was returned and resent is paid back", () => {
    const rows = [
      refund("SentForRefund", "-20.00"),
      refund("RefundFailed", "20.00"),
      refund("SentForRefund", "-20.00"),
    ];
    expect(refundsOf(...rows)).toMatchObject([{ state: "pending", amount: 2_000 }]);
  });

  test("is distinct from others of the same payment and amount", () => {
    const other = { "Modification Psp Reference": "REFUND0000000002", "Modification Merchant Reference": "" };
    const report = read(...payment(), refund("SentForRefund", "-20.00"), refund("SentForRefund", "-20.00", other));
    expect(report.entries).toMatchObject([
      { refunded: 4_000 },
      { object: { id: "REFUND0000000001" }, reference: REFUND },
      { object: { id: "REFUND0000000002" }, reference: "" },
    ]);
  });

  test("without its own reference is counted, and neither it nor anything else is reported missing", () => {
    const report = read(...payment(), refund("SentForRefund", "-20.00", { "Modification Psp Reference": "" }));
    expect(report.entries).toMatchObject([{ kind: "payment", part: { captured: 0 } }]);
    expect(report).toMatchObject({
      complete: false,
      unchecked: [expect.stringContaining("Modification Psp Reference")],
    });
  });

  test("is listed without its payment if that began before the report", () => {
    expect(read(refund("Refunded", "20.00")).entries).toMatchObject([{ kind: "refund", payment: PSP, amount: 2_000 }]);
  });
});

test("chargebacks, unknown types and other currencies are counted and named", () => {
  const report = read(
    ...[
      received("50.00"),
      authorised("50.00"),
      line("Chargeback"),
      line("SecondChargeback"),
      line("ChargebackReversed"),
    ],
    ...[line("SettledReversed"), line("Reinvented"), line("Reinvented"), line("4242 4242 4242 4242")],
    ...[received("1.00", { "Payment Currency": "XXX" }), received("1.00", { "Psp Reference": "" })],
  );
  expect(report.entries).toHaveLength(1);
  expect(report.unchecked).toEqual([
    "The report has record types that Cardlane does not know: Reinvented (2), SettledReversed (1), one without a readable name (1).",
    "Lines of the report that are about chargebacks, which are on their payments and in no comparison: 3.",
    "Lines of the report that are in currencies that Cardlane does not know: 1.",
    "Lines of the report that have no Psp Reference, so nobody can tell which payment is meant: 1.",
  ]);
  expect(JSON.stringify(report)).not.toContain("4242");
});

describe("several files", () => {
  const onDay = (day: number) => ({ "Booking Date": `2026-11-${day} 23:00:00` });

  test("are one report in any order, and lines in two of them count once", () => {
    const capture = captured("5.00", onDay(21));
    const report = readAccountingReport(
      [
        fileOf([capture, capture, authorised("10.00", { ...onDay(21), "Psp Reference": "B" })], "b.csv"),
        fileOf([received("10.00", onDay(20)), authorised("10.00", onDay(20)), capture], "a.csv"),
      ],
      ACCOUNT,
    );
    expect(report.entries).toMatchObject([
      { object: { id: PSP }, amount: 1_000, captured: 1_000, created_at: new Date("2026-11-20T23:00:00Z") },
      { object: { id: "B" } },
    ]);
  });

  test("of two time zones count each line once, and two captures of the same amount at the same time stay two", () => {
    const lines = (cells: Cells) => [
      received("100.00", cells),
      authorised("100.00", cells),
      captured("50.00", cells),
      captured("50.00", { ...cells, "Modification Psp Reference": "CAPTURE000000002" }),
    ];
    const utc = lines({ "Booking Date": "2026-11-20 23:30:00", TimeZone: "UTC" });
    const cet = lines({ "Booking Date": "2026-11-21 00:30:00", TimeZone: "CET" });
    const { entries } = readAccountingReport([fileOf(utc, "utc.csv"), fileOf(cet, "cet.csv")], ACCOUNT);
    expect(entries).toMatchObject([{ amount: 10_000, captured: 10_000, state: "captured" }]);
  });

  describe("with a day without payments between them", () => {
    const gap = (from: number, to: number) =>
      `The files have nothing between 2026-11-${from} and 2026-11-${to}. Give those of the days between as well, or one report over the whole time.`;
    const nameOf = (day: number) => `reports/payments_accounting_report_2026_11_${day}.csv`;
    const day = (number: number) => fileOf([received("1.00", onDay(number))], nameOf(number));
    const empty = (number: number, name = nameOf(number)) => fileOf([], name);
    const reading =
      (...files: ReturnType<typeof fileOf>[]) =>
      () =>
        readAccountingReport(files, ACCOUNT);

    test("differ from files that omit a day", () => {
      expect(reading(day(20), day(22))).toThrow(gap(20, 22));
      const whole = [20, 22].map((number) => received("1.00", onDay(number)));
      expect(reading(fileOf(whole), empty(0, "empty.csv"))().entries).toHaveLength(1);
    });

    test("are complete if that day's file has only a header", () => {
      const weekend = reading(day(23), empty(22), day(20), empty(21, nameOf(21).replace(".csv", " (1).csv")));
      expect(weekend().entries).toMatchObject([{ amount: 100 }]);
      expect(reading(empty(19), day(20), empty(24))().entries).toHaveLength(1);
    });

    test("omit any other day, whatever empty files there are", () => {
      expect(reading(day(20), empty(21), day(23))).toThrow(gap(21, 23));
      expect(reading(day(20), empty(22), day(23))).toThrow(gap(20, 23));
      expect(reading(day(20), empty(19), empty(24), empty(20), day(22))).toThrow(gap(20, 22));
      const filtered = "payments_accounting_report_filtered_2026_11_21_2026_11_22_1.csv";
      expect(reading(day(20), empty(21, filtered), day(22))).toThrow(gap(20, 22));
    });

    test("are refused with how to name an empty file after its day", () => {
      expect(reading(day(20), empty(21, "saturday.csv"), day(22))).toThrow(
        `${gap(20, 22)} saturday.csv has no line below its first, and counts for a day only under Adyen's own name of it, such as payments_accounting_report_2026_11_20.csv.`,
      );
    });
  });
});

describe("time zones", () => {
  test.each([
    ["UTC", "2026-11-20T09:00:00.000Z"],
    ["CET", "2026-11-20T08:00:00.000Z"],
    ["CEST", "2026-11-20T07:00:00.000Z"],
    ["BST", "2026-11-20T08:00:00.000Z"],
    ["PDT", "2026-11-20T16:00:00.000Z"],
    ["AEDT", "2026-11-19T22:00:00.000Z"],
  ])("%s is counted from UTC", (zone, at) => {
    const row = received("1.00", { TimeZone: zone, "Booking Date": "2026-11-20 09:00:00" });
    expect(read(row).from.toISOString()).toBe(at);
  });

  test.each(["CST", "IST", "PST", "XYZ", "", "constructor"])("%j is refused, not guessed", (zone) => {
    expect(() => read(received("1.00", { TimeZone: zone }))).toThrow(/line 2: its TimeZone.*in UTC or CET\.$/);
  });
});

describe("an unusable file is refused in a sentence with the place and the remedy", () => {
  const refused = (content: string | Uint8Array) => {
    try {
      readAccountingReport([{ name: "r.csv", bytes: typeof content === "string" ? bytes(content) : content }], ACCOUNT);
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableStatementError);
      return (error as Error).message;
    }
    throw new Error("the file was read");
  };

  test("a file that is no such report", () => {
    expect(refused("")).toBe("r.csv is empty. Download the Payment accounting report as CSV again.");
    expect(refused("\r\n\r\n")).toContain("is empty");
    expect(refused(csv([]))).toContain("no line below its first");
    expect(
      refused(
        csv([received("1.00")])
          .split("\r\n")
          .slice(1)
          .join("\n"),
      ),
    ).toContain("no Payment accounting report");
    expect(refused(csv([received("1.00")], HEADER, ";"))).toContain("other signs than commas");
    expect(refused(csv([received("1.00")], HEADER, "\t"))).toContain("other signs than commas");
    expect(refused(new Uint8Array([0xff, 0xfe, 0x43, 0x00]))).toContain("not text in UTF-8");
    expect(refused(new Uint8Array([0x43, 0xe4, 0x2c]))).toContain("not text in UTF-8");
  });

  test("missing or duplicate columns", () => {
    const without = HEADER.filter((name) => !name.startsWith("Modification"));
    expect(refused(csv([], without))).toBe(
      "r.csv lacks the columns Modification Psp Reference, Modification Merchant Reference. Add what is missing to the report in Adyen's Customer Area.",
    );
    expect(refused(csv([], [...HEADER, "timezone"]))).toBe("r.csv has the column TimeZone twice.");
  });

  test("a line of another account, or without a cell, a valid time or Adyen's reference", () => {
    expect(refused(csv([received("1.00"), received("1.00", { "Merchant Account": "OtherShop" })]))).toBe(
      "r.csv, line 3: it is of the merchant account OtherShop, and the connection is to ExampleShopECOM. Download the report of that account alone.",
    );
    expect(refused(csv([received("1.00").slice(1)]))).toContain(
      "line 2: 18 cells, but the first line names 19 columns",
    );
    for (const booked of ["2026-02-30 09:00:00", "20/11/2026 09:00", "2026-11-20 25:00:00", ""])
      expect(refused(csv([received("1.00", { "Booking Date": booked })]))).toContain("Booking Date is no time");
    expect(refused(csv([received("1.00", { "Psp Reference": "x y" })]))).toContain("none of Adyen's");
  });

  test.each(["12,30", '"12,30"', "1.2e3", "EUR 5", "--5", "1 000.00", "4242424242424242"])(
    "the amount %s",
    (amount) => {
      const message = refused(csv([received(amount)]));
      expect(message).toMatch(amount === "12,30" ? /20 cells/ : /line 2: Received \(PC\) is no amount/);
    },
  );

  test("an amount with more decimals than its currency", () => {
    const cells = { "Payment Currency": "JPY" };
    expect(refused(csv([received("5.50", cells)]))).toBe(
      "r.csv, line 2: Received (PC) has more decimals than JPY has.",
    );
  });

  test("an unclosed quote, without its contents", () => {
    const message = refused(csv([received("1.00"), received("1.00", { "Card Summary": '"4242424242424242' })]));
    expect(message).toMatch(/line \d+: this is no CSV/);
    expect(refused(csv([received("1.00", { "Card Summary": '42"42' })]))).toMatch(/no CSV/);
    for (const name of ["Merchant Account", "TimeZone", "Psp Reference", "Booking Date", "Main Amount"])
      expect(refused(csv([received("1.00", { [name]: "4242 4242 4242 4242" })]))).not.toContain("4242");
    expect(message).not.toContain("4242");
  });
});

test("a byte order mark, quotes and other spellings of columns are accepted", () => {
  const quoted = csv(
    [received("1.00")].map((cells) => cells.map((cell) => `"${cell}"`)),
    HEADER,
  ).toUpperCase();
  const text = `\uFEFF${quoted.replaceAll("EXAMPLESHOPECOM", ACCOUNT).replaceAll('RECEIVED"', 'Received"')}\n\n`;
  const { entries } = readAccountingReport([{ name: "r.csv", bytes: bytes(text) }], ACCOUNT);
  expect(entries).toMatchObject([{ amount: 100, state: "pending" }]);
});
