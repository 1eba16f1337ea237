import { stringify } from "csv-stringify/sync";
import { formatMinor } from "@/lib/contract/currencies";
import type { ExportField } from "@/lib/contract/transactions/export";
import type { Transaction } from "@/lib/contract/transactions/transaction";

type Cell = string | number | null;

/** In major units, which a spreadsheet reads as a number. Ours from sign to last digit, so it needs no guard. */
const major = (amount: number, { currency }: Transaction): string => formatMinor(amount, currency).split(" ")[0] ?? "";

/** What we have worked out ourselves. */
const AMOUNTS: Partial<Record<ExportField, (transaction: Transaction) => Cell>> = {
  amount: (row) => major(row.amount, row),
  amount_minor: (row) => row.amount,
  signed_amount: (row) => `${row.type === "REFUND" ? "-" : ""}${major(row.amount, row)}`,
  amount_captured: (row) => major(row.amount_captured, row),
  amount_captured_minor: (row) => row.amount_captured,
  amount_refunded: (row) => major(row.amount_refunded, row),
  amount_refunded_minor: (row) => row.amount_refunded,
  amount_refundable: (row) => major(row.amount_refundable, row),
  amount_refundable_minor: (row) => row.amount_refundable,
};

/** Fields that are not simply the transaction's member of that name. */
const READERS: Partial<Record<ExportField, (transaction: Transaction) => Cell>> = {
  billing_line1: (row) => row.billing_address?.line1 ?? null,
  billing_line2: (row) => row.billing_address?.line2 ?? null,
  billing_city: (row) => row.billing_address?.city ?? null,
  billing_state: (row) => row.billing_address?.state ?? null,
  billing_postal_code: (row) => row.billing_address?.postal_code ?? null,
  billing_country: (row) => row.billing_address?.country ?? null,
  metadata: (row) => (Object.keys(row.metadata).length === 0 ? null : JSON.stringify(row.metadata)),
};

const OPTIONS = { quoted_match: /[\r\n;\t]/ } as const;

/** The first line: names of the fields. */
export const csvHeader = (fields: readonly ExportField[]): string => stringify([[...fields]], OPTIONS);

/** Rows and characters that are written in a millisecond or two. */
const MOST_ROWS = 50;
const MOST_CHARACTERS = 64 * 1024;

/** A line per transaction: times in ISO 8601 UTC, nothing for null. In pieces, as metadata makes some lines long. */
export function* csvPieces(
  transactions: readonly Transaction[],
  fields: readonly ExportField[],
): Generator<string, void> {
  let lines: Cell[][] = [];
  let size = 0;
  for (const row of transactions) {
    const cells = fields.map((field) => cellOf(row, field));
    lines.push(cells);
    for (const cell of cells) if (typeof cell === "string") size += cell.length;
    if (lines.length < MOST_ROWS && size < MOST_CHARACTERS) continue;
    yield stringify(lines, OPTIONS);
    lines = [];
    size = 0;
  }
  if (lines.length > 0) yield stringify(lines, OPTIONS);
}

function cellOf(row: Transaction, field: ExportField): Cell {
  const amount = AMOUNTS[field];
  if (amount) return amount(row);
  const read = READERS[field];
  const value = read ? read(row) : (row[field as keyof Transaction] as Cell);
  return typeof value === "string" ? withoutFormulas(value) : value;
}

/** What makes a spreadsheet calculate, in ASCII and in the forms that input methods write and spreadsheets take for it. */
const SIGNS = "=+@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212-";
const TRIGGERS = new Set(SIGNS);
const HAS_TRIGGER = new RegExp(`[${SIGNS}]`);
/** Begins another cell where the comma does not: spreadsheets split by country, or as the user chooses when importing. */
const SEPARATORS = new Set(";,\t|\r\n\v\f\u0085\u2028\u2029");
/** What importers drop from the beginning of a cell. */
const DROPPED = /[\s"\p{Cc}\p{Cf}]/u;

/**
 * A text as it may stand in a cell: an apostrophe stands before what a spreadsheet would take for a formula, at the beginning
 * and after every separator, for the quotes around a cell mean nothing to who splits at semicolons. In one pass.
 */
export function withoutFormulas(text: string): string {
  if (!HAS_TRIGGER.test(text)) return /^[\t\r\n]/.test(text) ? `'${text}` : text;
  const lead = /^[\t\r\n]/.test(text) ? "'" : "";
  let guarded = lead;
  let copied = 0;
  let isStart = lead === "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (isStart && TRIGGERS.has(character)) {
      guarded += `${text.slice(copied, at)}'`;
      copied = at;
    }
    isStart = SEPARATORS.has(character) || (isStart && DROPPED.test(character));
  }
  return guarded + text.slice(copied);
}
