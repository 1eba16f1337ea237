import { CsvError, parse } from "csv-parse/sync";
import { isSupportedCurrency, MAX_AMOUNT } from "@/lib/contract/currencies";
import { instant } from "@/lib/contract/fields";

export const COLUMNS = [
  "purchased_at",
  "order_id",
  "payment_sequential",
  "customer_id",
  "amount_minor",
  "currency",
  "payment_type",
  "installments",
  "order_status",
] as const;
type Column = (typeof COLUMNS)[number];

/** Payment types that are cards. Vouchers, bank slips and the like are counted and skipped. */
const CARD_PAYMENTS: ReadonlySet<string> = new Set(["credit_card", "debit_card"]);

/** Final status of an order's payment. */
export type Ending = "AUTHORIZED" | "CAPTURED" | "VOIDED" | "REFUNDED";

/** A row of the file that is a card payment. */
export type Order = {
  /** Line number in the file, 1-based. */
  line: number;
  /** `order_id-payment_sequential`, the shop's idempotency key. */
  key: string;
  order_id: string;
  payment_sequential: string;
  purchased_at: string;
  customer_id: string;
  /** Minor units. */
  amount: number;
  currency: string;
  installments: number;
  order_status: string;
  ending: Ending;
};

export type OrderFile = { rows: number; orders: Order[]; leftOut: Map<string, number> };

/** A file with invalid lines; `message` names lines and columns. */
export class OrderFileError extends Error {
  override readonly name = "OrderFileError";
}

const ENDINGS: ReadonlyMap<string, Ending> = new Map([
  ["delivered", "CAPTURED"],
  ["shipped", "CAPTURED"],
  ["invoiced", "CAPTURED"],
  ["canceled", "VOIDED"],
  ["unavailable", "REFUNDED"],
]);

/** Final status of the payment for an order's status; by default it stays authorized. */
function endingOf(orderStatus: string): Ending {
  return ENDINGS.get(orderStatus) ?? "AUTHORIZED";
}

/** Leaves room for the suffixes of follow-up calls: an idempotency key has at most 255 characters. */
const MAX_KEY_LENGTH = 240;
const ERRORS_SHOWN = 20;

type Cells = Record<Column, string>;
type Line = { line: number; cells: Cells };

/** Parses and validates the whole file before anything is sent. */
export function readOrders(text: string): OrderFile {
  const lines = readLines(text);
  const errors: string[] = [];
  const firstLineOf = new Map<string, number>();
  const file: OrderFile = { rows: lines.length, orders: [], leftOut: new Map() };
  for (const { line, cells } of lines) {
    const problems = checkCells(cells);
    const key = `${cells.order_id}-${cells.payment_sequential}`;
    const first = firstLineOf.get(key);
    if (first !== undefined)
      problems.push(`column order_id: the same order_id and payment_sequential as on line ${first}`);
    else firstLineOf.set(key, line);
    errors.push(...problems.map((problem) => `line ${line}, ${problem}`));
    if (CARD_PAYMENTS.has(cells.payment_type)) file.orders.push(orderOf(line, key, cells));
    else file.leftOut.set(cells.payment_type, (file.leftOut.get(cells.payment_type) ?? 0) + 1);
  }
  if (errors.length > 0) throw new OrderFileError(listErrors(errors));
  return file;
}

function readLines(text: string): Line[] {
  const records = parseRecords(text);
  const header = records[0]?.record.map((name) => name.trim());
  if (!header)
    throw new OrderFileError(`The file is empty. It needs a first line with the columns ${COLUMNS.join(", ")}.`);
  const missing = COLUMNS.filter((column) => !header.includes(column));
  if (missing.length > 0) {
    throw new OrderFileError(
      `line 1: missing column${missing.length > 1 ? "s" : ""} ${missing.join(", ")}. Needed are ${COLUMNS.join(", ")}.`,
    );
  }
  const positions = COLUMNS.map((column) => [column, header.indexOf(column)] as const);
  return records.slice(1).map(({ record, line }) => {
    if (record.length !== header.length) {
      throw new OrderFileError(
        `line ${line}: ${record.length} cells, but the first line names ${header.length} columns.`,
      );
    }
    return { line, cells: Object.fromEntries(positions.map(([column, at]) => [column, record[at] ?? ""])) as Cells };
  });
}

function parseRecords(text: string): { record: string[]; line: number }[] {
  try {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true } as const;
    const parsed = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[];
    return parsed.map(({ record, info }) => ({ record, line: info.lines }));
  } catch (error) {
    if (error instanceof CsvError)
      throw new OrderFileError(`The file is not valid CSV: ${error.message}.`, { cause: error });
    throw error;
  }
}

const POSITIVE_INTEGER = /^[1-9]\d{0,14}$/;

function checkCells(cells: Cells): string[] {
  const problems: string[] = [];
  const check = (column: Column, valid: boolean, expected: string) => {
    if (!valid) problems.push(`column ${column}: ${expected}, not ${JSON.stringify(cells[column].slice(0, 60))}`);
  };
  check(
    "purchased_at",
    instant.safeParse(cells.purchased_at).success,
    "must be an ISO 8601 time such as 2026-11-20T09:30:00Z",
  );
  check("order_id", /^\S+$/.test(cells.order_id), "must be an order number without spaces");
  check("order_id", cells.order_id.length <= MAX_KEY_LENGTH - 20, "is too long to make an idempotency key of");
  check("payment_sequential", POSITIVE_INTEGER.test(cells.payment_sequential), "must be a whole number from 1");
  check("customer_id", cells.customer_id !== "" && cells.customer_id.length <= 255, "must be 1 to 255 characters");
  const amount = Number(cells.amount_minor);
  check(
    "amount_minor",
    POSITIVE_INTEGER.test(cells.amount_minor) && amount <= MAX_AMOUNT,
    `must be a whole number of minor units from 1 to ${MAX_AMOUNT}`,
  );
  check("currency", isSupportedCurrency(cells.currency), "must be an ISO 4217 code in capitals such as BRL");
  check("payment_type", cells.payment_type !== "", "must not be empty");
  check("installments", /^\d{1,3}$/.test(cells.installments), "must be a whole number from 0 to 999");
  check("order_status", /^[a-z_]+$/.test(cells.order_status), "must be one word in small letters such as delivered");
  return problems;
}

function orderOf(line: number, key: string, cells: Cells): Order {
  return {
    line,
    key,
    order_id: cells.order_id,
    payment_sequential: cells.payment_sequential,
    purchased_at: cells.purchased_at,
    customer_id: cells.customer_id,
    amount: Number(cells.amount_minor),
    currency: cells.currency,
    installments: Number(cells.installments),
    order_status: cells.order_status,
    ending: endingOf(cells.order_status),
  };
}

function listErrors(errors: string[]): string {
  const more = errors.length > ERRORS_SHOWN ? [`… and ${errors.length - ERRORS_SHOWN} more`] : [];
  return ["The file cannot be sent:", ...[...errors.slice(0, ERRORS_SHOWN), ...more].map((line) => `  ${line}`)].join(
    "\n",
  );
}
