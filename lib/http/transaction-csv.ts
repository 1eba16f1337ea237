import { stringify } from "csv-stringify/sync";
import { formatMinor } from "@/lib/contract/currencies";
import type { Transaction } from "@/lib/contract/transaction";
import type { ExportField } from "@/lib/contract/transaction-export";

type Cell = string | number | null;

const major = (amount: number, { currency }: Transaction): string => formatMinor(amount, currency).split(" ")[0] ?? "";

/** Fields that are not simply the transaction's member of that name. */
const READERS: Partial<Record<ExportField, (transaction: Transaction) => Cell>> = {
  amount: (row) => major(row.amount, row),
  amount_minor: (row) => row.amount,
  amount_captured: (row) => major(row.amount_captured, row),
  amount_captured_minor: (row) => row.amount_captured,
  amount_refunded: (row) => major(row.amount_refunded, row),
  amount_refunded_minor: (row) => row.amount_refunded,
  amount_refundable: (row) => major(row.amount_refundable, row),
  amount_refundable_minor: (row) => row.amount_refundable,
  billing_line1: (row) => row.billing_address?.line1 ?? null,
  billing_line2: (row) => row.billing_address?.line2 ?? null,
  billing_city: (row) => row.billing_address?.city ?? null,
  billing_state: (row) => row.billing_address?.state ?? null,
  billing_postal_code: (row) => row.billing_address?.postal_code ?? null,
  billing_country: (row) => row.billing_address?.country ?? null,
  metadata: (row) => (Object.keys(row.metadata).length === 0 ? null : JSON.stringify(row.metadata)),
};

const OPTIONS = {
  // A cell that a spreadsheet would take for a formula gets an apostrophe in front: = + - @ tab and carriage return.
  escape_formulas: true,
  quoted_match: /[\r\n]/,
} as const;

/** The first line: names of the fields. */
export const csvHeader = (fields: readonly ExportField[]): string => stringify([[...fields]], OPTIONS);

/** A line per transaction: times in ISO 8601 UTC, nothing for null. */
export function csvLines(transactions: readonly Transaction[], fields: readonly ExportField[]): string {
  return stringify(
    transactions.map((row) => fields.map((field) => cellOf(row, field))),
    OPTIONS,
  );
}

function cellOf(row: Transaction, field: ExportField): Cell {
  const read = READERS[field];
  return read ? read(row) : (row[field as keyof Transaction] as Cell);
}
