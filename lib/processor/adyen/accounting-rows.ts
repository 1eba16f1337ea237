import { CsvError, parse } from "csv-parse/sync";
import { keepableText } from "@/lib/contract/card-numbers";
import { currencyDigits, isSupportedCurrency } from "@/lib/contract/currencies";
import { type StatementFile, UnreadableStatementError } from "../records";

/*
 * Parses Adyen's Payment accounting report. Unread columns may hold card data, and so may others in an edited file: error
 * messages only quote cells that can't be card numbers.
 */

/** Columns that are read, by the names in the first line, in any order and among any others. */
const COLUMNS = {
  account: "Merchant Account",
  psp: "Psp Reference",
  reference: "Merchant Reference",
  booked: "Booking Date",
  zone: "TimeZone",
  mainCurrency: "Main Currency",
  mainAmount: "Main Amount",
  type: "Record Type",
  currency: "Payment Currency",
  received: "Received (PC)",
  authorised: "Authorised (PC)",
  captured: "Captured (PC)",
  modification: "Modification Psp Reference",
  modificationReference: "Modification Merchant Reference",
} as const;
type Column = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Column[];
type Cells = Readonly<Record<Column, string>>;

/** A payment's registers at Adyen. Each line moves an amount between them. */
const REGISTERS = ["received", "authorised", "captured"] as const;
type Register = (typeof REGISTERS)[number];

/** One line. Signed amounts in ISO minor units, as booked; null for an empty cell. */
export type ReportRow = {
  readonly at: Date;
  /** The day in the report's own time zone. */
  readonly day: string;
  /** The payment's PSP reference; empty for lines without a payment. */
  readonly psp: string;
  readonly reference: string;
  readonly type: string;
  /** Null for an unsupported currency. */
  readonly currency: string | null;
  readonly registers: Readonly<Record<Register, number | null>>;
  /** Includes fees in settlement lines; null if its currency isn't the payment's. */
  readonly main: number | null;
  readonly modification: string;
  readonly modificationReference: string;
};

/**
 * Minutes ahead of UTC. Abbreviations of more than one zone (CST, IST, PST, AST) are ambiguous and left out.
 */
const ZONES: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  WET: 0,
  WEST: 60,
  BST: 60,
  CET: 60,
  CEST: 120,
  EET: 120,
  EEST: 180,
  EST: -300,
  EDT: -240,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PDT: -420,
  BRT: -180,
  SGT: 480,
  HKT: 480,
  AWST: 480,
  JST: 540,
  AEST: 600,
  AEDT: 660,
  NZST: 720,
  NZDT: 780,
};

/** The lines of a file in order; empty for an account without a payment that day. */
export function readRows(file: StatementFile, merchantAccount: string): ReportRow[] {
  const rows: ReportRow[] = [];
  const refuse = (line: number, problem: string): never => {
    throw new UnreadableStatementError(`${file.name}, line ${line}: ${problem}`);
  };
  let positions: readonly (readonly [Column, number])[] | null = null;
  let width = 0;
  eachRecord(file, (record, line) => {
    if (positions === null) {
      positions = positionsOf(file, record);
      width = record.length;
      return;
    }
    if (record.length !== width)
      refuse(line, `${record.length} cells, but the first line names ${width} columns. Download the report again.`);
    const cells = Object.fromEntries(positions.map(([column, at]) => [column, record[at]?.trim() ?? ""]));
    rows.push(rowOf(cells as Cells, merchantAccount, (problem) => refuse(line, problem)));
  });
  if (positions === null)
    throw new UnreadableStatementError(`${file.name} is empty. Download the Payment accounting report as CSV again.`);
  return rows;
}

function eachRecord(file: StatementFile, take: (record: string[], line: number) => void): void {
  const text = textOf(file);
  try {
    parse(text, {
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: 100_000,
      record_delimiter: ["\r\n", "\n", "\r"],
      // Streamed, because a month's lines would not fit in memory.
      on_record: (record: string[], { lines }) => {
        take(record, lines);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The parser's message quotes the cell.
    const { lines } = error as unknown as { lines?: number };
    const where = lines === undefined ? file.name : `${file.name}, line ${lines}`;
    throw new UnreadableStatementError(`${where}: this is no CSV, a quote may be missing. Download the report again.`);
  }
}

function textOf({ name, bytes }: StatementFile): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnreadableStatementError(
      `${name} is not text in UTF-8. Download the Payment accounting report as CSV, and do not save it with another program.`,
    );
  }
}

function positionsOf({ name }: StatementFile, header: readonly string[]): (readonly [Column, number])[] {
  const found = header.map((cell) => cell.trim().toLowerCase());
  const at = (column: Column) => found.indexOf(COLUMNS[column].toLowerCase());
  const missing = NAMES.filter((column) => at(column) < 0);
  if (missing.length === NAMES.length && header.length <= 1 && /[;\t]/.test(header[0] ?? "")) {
    throw new UnreadableStatementError(
      `${name} has other signs than commas between its columns. Download the report as CSV, and do not save it with another program.`,
    );
  }
  if (missing.length === NAMES.length) {
    throw new UnreadableStatementError(
      `${name} does not begin with the names of its columns, such as Psp Reference, so it is no Payment accounting report.`,
    );
  }
  if (missing.length > 0) {
    throw new UnreadableStatementError(
      `${name} lacks the column${missing.length > 1 ? "s" : ""} ${missing.map((column) => COLUMNS[column]).join(", ")}. Add what is missing to the report in Adyen's Customer Area.`,
    );
  }
  const twice = NAMES.find((column) => found.indexOf(COLUMNS[column].toLowerCase(), at(column) + 1) > 0);
  if (twice) throw new UnreadableStatementError(`${name} has the column ${COLUMNS[twice]} twice.`);
  return NAMES.map((column) => [column, at(column)] as const);
}

function rowOf(cells: Cells, merchantAccount: string, refuse: (problem: string) => never): ReportRow {
  if (cells.account !== merchantAccount)
    refuse(
      `it is of the merchant account ${keepableText(cells.account, 80) || "without a name"}, and the connection is to ${merchantAccount}. Download the report of that account alone.`,
    );
  if (!/^[A-Za-z0-9]{0,40}$/.test(cells.psp)) refuse("its Psp Reference is none of Adyen's.");
  const currency = isSupportedCurrency(cells.currency) ? cells.currency : null;
  const amount = (column: Column) => {
    const read = amountOf(cells[column], currency);
    return typeof read === "string" ? refuse(`${COLUMNS[column]} ${read}`) : read;
  };
  return {
    ...timeOf(cells, refuse),
    psp: cells.psp,
    reference: cells.reference,
    type: cells.type,
    currency,
    registers: { received: amount("received"), authorised: amount("authorised"), captured: amount("captured") },
    main: cells.mainCurrency === cells.currency ? amount("mainAmount") : null,
    modification: cells.modification,
    modificationReference: cells.modificationReference,
  };
}

function timeOf({ booked, zone }: Cells, refuse: (problem: string) => never): { at: Date; day: string } {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/.exec(booked) ?? [];
  const local = Date.parse(`${day}T${time}Z`);
  if (day === undefined || Number.isNaN(local) || new Date(local).toISOString().slice(0, 10) !== day)
    return refuse("its Booking Date is no time such as 2026-11-20 09:30:00.");
  const offset = Object.hasOwn(ZONES, zone) ? ZONES[zone] : undefined;
  if (offset === undefined)
    return refuse(
      `its TimeZone${/^[A-Za-z]{1,5}$/.test(zone) ? ` ${zone}` : ""} is no name of one time zone that Cardlane knows for certain. Download the report in UTC or CET.`,
    );
  return { at: new Date(local - offset * 60_000), day };
}

/** The amount, or the fault as text; null for an empty cell. Trailing zeros don't count as decimals. */
function amountOf(text: string, currency: string | null): number | null | string {
  if (text === "") return null;
  const [, sign = "", whole = "", decimals = ""] = /^(-?)(\d{1,12})(?:\.(\d{1,8}))?$/.exec(text) ?? [];
  if (whole === "") return "is no amount such as 12.34 or -12.34.";
  if (currency === null) return null;
  const digits = currencyDigits(currency);
  const fraction = decimals.slice(0, digits);
  if (/[1-9]/.test(decimals.slice(digits))) return `has more decimals than ${currency} has.`;
  const units = Number(whole + fraction.padEnd(digits, "0"));
  if (!Number.isSafeInteger(units)) return "is too large.";
  return units === 0 ? null : sign === "-" ? -units : units;
}
