import { setTimeout as wait } from "node:timers/promises";
import { stringify } from "csv-stringify/sync";
import { type ColumnDef, writeXlsxStream } from "hucre/xlsx";
import { BoundedMap } from "@/lib/bounded-map";
import { type ExportFormat, separatorsOf } from "@/lib/contract/reporting/export-formats";
import { offsetAt } from "@/lib/contract/transactions/time-range";

type Cell = string | number | null;

export type SheetColumn<Row> = {
  /** Heading in the plain CSV, which programs read by. */
  name: string;
  /** Heading in other files. */
  heading: string;
  /**
   * `amount`: decimal text in major units. `day`: `2026-12-31`. `time` and `local_time`: ISO 8601 in UTC; the latter is shown in
   * the sheet's zone.
   */
  kind: "text" | "number" | "amount" | "day" | "time" | "local_time";
  read: (row: Row) => Cell;
  /** Text shown in place of a code. */
  word?: (row: Row) => string | null;
};

export type SheetOptions = { format: ExportFormat; locale: string; timeZone: string; title: string };

/** File extension and media type of each format. */
export const FILE_TYPES: Record<ExportFormat, { extension: string; type: string }> = {
  csv: { extension: "csv", type: "text/csv; charset=utf-8; header=present" },
  csv_excel: { extension: "csv", type: "text/csv; charset=utf-8; header=present" },
  xlsx: { extension: "xlsx", type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
};

/**
 * A file of the rows, a piece at a time: pieces are written in a few milliseconds, with rests between them.
 */
export function sheetParts<Row>(
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly SheetColumn<Row>[],
  options: SheetOptions,
): AsyncGenerator<string | Uint8Array, void> {
  if (options.format === "xlsx") return workbookParts(batches, withoutTwins(columns, options.timeZone), options);
  const style = csvStyle(options);
  const shown = style.forPeople ? withoutTwins(columns, options.timeZone) : columns;
  return csvParts(batches, shown, style, options.timeZone);
}

const isUtc = (timeZone: string): boolean =>
  new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone === "UTC";

/** In UTC, a time's two columns would have the same heading and values. */
function withoutTwins<Row>(columns: readonly SheetColumn<Row>[], timeZone: string): readonly SheetColumn<Row>[] {
  if (!isUtc(timeZone)) return columns;
  const inUtc = new Set(columns.filter(({ kind }) => kind === "time").map(({ heading }) => heading));
  return columns.filter(({ kind, heading }) => kind !== "local_time" || !inUtc.has(heading));
}

/**
 * After a piece, all exports of the process pause for as long as it took, so that together they use half of
 * its time at most. The pause is capped at this: a longer piece was delayed by a busy machine.
 */
const MAX_REST_MS = 5;
let restUntilMs = 0;

async function rest(): Promise<void> {
  for (let restMs = restUntilMs - performance.now(); restMs > 0; restMs = restUntilMs - performance.now())
    await wait(restMs);
}

function restAfter(startedMs: number): void {
  const endedMs = performance.now();
  restUntilMs = endedMs + Math.min(endedMs - startedMs, MAX_REST_MS);
}

/** Rows and characters that are written in a millisecond or two. */
const PIECE_ROWS = 50;
const PIECE_CHARACTERS = 64 * 1024;

type CsvStyle = {
  forPeople: boolean;
  decimal: string;
  delimiter: string;
  bom: boolean;
  record_delimiter: string;
  /** Text that Excel takes for a number or date is written as a formula of that text. */
  keepsText: (text: string) => boolean;
};

function csvStyle({ format, locale }: SheetOptions): CsvStyle {
  if (format === "csv")
    return {
      forPeople: false,
      decimal: ".",
      delimiter: ",",
      bom: false,
      record_delimiter: "\n",
      keepsText: () => false,
    };
  const { decimal, column } = separatorsOf(locale);
  return {
    forPeople: true,
    decimal,
    delimiter: column,
    bom: true,
    record_delimiter: "\r\n",
    keepsText: excelRetypes(locale),
  };
}

async function* csvParts<Row>(
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly SheetColumn<Row>[],
  style: CsvStyle,
  timeZone: string,
): AsyncGenerator<string, void> {
  const { bom, delimiter, record_delimiter } = style;
  const write = (lines: Cell[][], options = {}) =>
    stringify(lines, { delimiter, record_delimiter, quoted_match: /[\r\n;\t]/, ...options });
  yield write([headingsOf(columns, style.forPeople, timeZone)], { bom });
  const cellOf = csvCells<Row>(style, timeZone);
  for await (const rows of batches) {
    for (let at = 0; at < rows.length; ) {
      await rest();
      const startedMs = performance.now();
      const lines: Cell[][] = [];
      for (let size = 0; at < rows.length && lines.length < PIECE_ROWS && size < PIECE_CHARACTERS; at++) {
        const cells = columns.map((column) => cellOf(column, rows[at] as Row));
        for (const cell of cells) if (typeof cell === "string") size += cell.length;
        lines.push(cells);
      }
      const piece = write(lines);
      restAfter(startedMs);
      yield piece;
    }
  }
}

const headingsOf = <Row>(columns: readonly SheetColumn<Row>[], forPeople: boolean, timeZone: string): string[] =>
  columns.map(({ name, heading, kind }) => {
    if (!forPeople) return name;
    if (kind === "local_time") return `${heading} (${timeZone})`;
    return kind === "time" ? `${heading} (UTC)` : heading;
  });

function csvCells<Row>(style: CsvStyle, timeZone: string): (column: SheetColumn<Row>, row: Row) => Cell {
  const { forPeople, decimal, keepsText } = style;
  const offset = offsetsIn(timeZone);
  return ({ kind, read, word }, row) => {
    const value = read(row);
    if (value === null) return null;
    switch (kind) {
      case "number":
      case "amount":
        return decimal === "." ? value : String(value).replace(".", decimal);
      case "day":
        return value;
      case "time":
        return forPeople ? clockText(String(value), 0) : value;
      case "local_time":
        return forPeople ? clockText(String(value), offset(String(value))) : localIso(String(value), offset);
      case "text": {
        const text = (forPeople ? word?.(row) : null) ?? String(value);
        return keepsText(text) ? `="${text}"` : withoutFormulas(text);
      }
      default:
        return kind satisfies never;
    }
  };
}

/** `2026-12-31 17:30:00`, which spreadsheets read as a time in every locale. */
const clockText = (at: string, offsetMs: number): string =>
  new Date(Date.parse(at) + offsetMs).toISOString().slice(0, 19).replace("T", " ");

/** `2026-12-31T17:30:00.000-08:00`. */
function localIso(at: string, offset: (at: string) => number): string {
  const offsetMs = offset(at);
  const minutes = Math.abs(offsetMs) / 60_000;
  const clock = `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
  const local = new Date(Date.parse(at) + offsetMs).toISOString().slice(0, -1);
  return `${local}${offsetMs < 0 ? "-" : "+"}${clock}`;
}

/** Offsets change only at full quarters of an hour. */
const QUARTER_MS = 15 * 60_000;
const MAX_QUARTERS = 10_000;

/** Cached per quarter of an hour: `offsetAt` takes as long as a whole line. */
function offsetsIn(timeZone: string): (at: string) => number {
  const known = new BoundedMap<number, number>(MAX_QUARTERS);
  return (at) => {
    const timeMs = Date.parse(at);
    const quarter = Math.floor(timeMs / QUARTER_MS);
    return known.getOrCreate(quarter, () => offsetAt(timeZone, timeMs));
  };
}

/**
 * Starts a calculation in a spreadsheet: ASCII signs, and their forms from input methods that spreadsheets
 * take for them.
 */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212-]/u;

/** A telephone number with its country code names no function and no cell, so it can calculate nothing but itself. */
const PHONE = /^\+\d[\d ()./\u00a0-]{0,38}$/;

/**
 * An apostrophe goes before text that begins like a formula, past anything that importers drop. The rest is
 * left as it is.
 */
export const withoutFormulas = (text: string): string =>
  (FORMULA.test(text) && !PHONE.test(text)) || /^[\t\r\n]/.test(text) ? `'${text}` : text;

const MAX_RETYPED = 40;

const wordsIn = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

/**
 * True if Excel reads a text as a number, date or time, and loses signs, zeros or digits: 02134,
 * 4242424242424242, 1-2, 12E5, MAR 1, +49 30 1234. Such a text has only digits, their punctuation and one such
 * word, so it is safe inside a formula.
 */
export function excelRetypes(locale: string): (text: string) => boolean {
  const words = new Set(["e", "am", "pm"]);
  for (const month of ["short", "long"] as const) {
    for (const language of ["en", locale]) {
      const format = new Intl.DateTimeFormat(language, { month, timeZone: "UTC" });
      for (let i = 0; i < 12; i++) for (const word of wordsIn(format.format(Date.UTC(2026, i, 15)))) words.add(word);
    }
  }
  return (text) => {
    if (PHONE.test(text)) return true;
    if (text.length > MAX_RETYPED || !/\d/.test(text) || !/^[\d\p{L}.(][\d\p{L} .,:/()%-]*$/u.test(text)) return false;
    const found = wordsIn(text);
    return found.length <= 1 && found.every((word) => words.has(word));
  };
}

/** Excel reports a file with longer cells as damaged. */
const MAX_CELL = 32_767;

/** The format with the decimals of the amount's text, which are its currency's: ¥1,000 and KD1.500. */
function amountFormat(text: string): string {
  const decimals = text.split(".")[1]?.length ?? 0;
  return decimals === 0 ? "#,##0" : `#,##0.${"0".repeat(decimals)}`;
}

const DAY_FORMAT = "yyyy-mm-dd";
const TIME_FORMAT = "yyyy-mm-dd hh:mm:ss";
const SHAPES = {
  text: { numFmt: "@", width: 24 },
  number: { width: 12 },
  amount: { numFmt: amountFormat("0.00"), width: 14 },
  day: { numFmt: DAY_FORMAT, width: 12 },
  time: { numFmt: TIME_FORMAT, width: 20 },
  local_time: { numFmt: TIME_FORMAT, width: 20 },
};

/**
 * Text cells are text, so that nothing in them is calculated or retyped. Memory does not grow with the rows.
 */
async function* workbookParts<Row>(
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly SheetColumn<Row>[],
  { timeZone, title }: SheetOptions,
): AsyncGenerator<Uint8Array, void> {
  const headings = headingsOf(columns, true, timeZone);
  const offset = offsetsIn(timeZone);
  const shapes: ColumnDef[] = columns.map(({ kind }, i) => ({ header: headings[i] as string, ...SHAPES[kind] }));
  const stream = writeXlsxStream(workbookRows(batches, columns, { offset, shapes }), {
    name: title,
    columns: shapes,
    freezePane: { rows: 1 },
  });
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/**
 * The time of a piece is that of its consumer, which writes and compresses each row before it takes the next.
 * It reads a column's format for each cell, so that amounts get the one of their row's currency.
 */
async function* workbookRows<Row>(
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly SheetColumn<Row>[],
  { offset, shapes }: { offset: (at: string) => number; shapes: ColumnDef[] },
): AsyncGenerator<(string | number | Date | null)[], void> {
  const amounts = columns.flatMap(({ kind, read }, i) => (kind === "amount" ? [{ read, shape: shapes[i] }] : []));
  for await (const rows of batches) {
    for (let at = 0; at < rows.length; ) {
      await rest();
      const startedMs = performance.now();
      for (const end = Math.min(at + PIECE_ROWS, rows.length); at < end; at++) {
        const row = rows[at] as Row;
        for (const { read, shape } of amounts) if (shape) shape.numFmt = amountFormat(String(read(row) ?? "0.00"));
        yield columns.map((column) => workbookCell(column, row, offset));
      }
      restAfter(startedMs);
    }
  }
}

/** `_x0041_` is an escape in workbooks, and two code points are not XML; hucre writes both as they are. */
const workbookText = (text: string): string =>
  text
    .slice(0, MAX_CELL)
    .replaceAll(/_(?=x[\dA-Fa-f]{4}_)/g, "_x005F_")
    .replaceAll(/[\ufffe\uffff]/g, "\ufffd");

function workbookCell<Row>(
  { kind, read, word }: SheetColumn<Row>,
  row: Row,
  offset: (at: string) => number,
): string | number | Date | null {
  const value = read(row);
  if (value === null) return null;
  switch (kind) {
    case "number":
    case "amount":
      return Number(value);
    case "day":
    case "time":
      return new Date(String(value));
    case "local_time":
      return new Date(Date.parse(String(value)) + offset(String(value)));
    case "text":
      return workbookText(word?.(row) ?? String(value));
    default:
      return kind satisfies never;
  }
}
