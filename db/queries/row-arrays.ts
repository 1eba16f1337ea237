import { makePgArray } from "drizzle-orm/pg-core";

type Value = string | number | boolean | null;

/** A column of a table that a statement is given: its type in PostgreSQL, and its value in each row. */
export type ArrayColumns<Row> = Readonly<Record<string, readonly [type: string, of: (row: Row) => Value]>>;

/**
 * Rows as one table in a statement: an array for each column, which costs PostgreSQL a tenth of what JSON does. `text` goes
 * after FROM, with parameters from `first` on; `n` counts the rows from 1.
 */
export function arrayTable<Row>(columns: ArrayColumns<Row>, alias: string, first = 1) {
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map(([type], i) => `$${first + i}::text::${type}[]`);
  const readers = Object.values(columns).map(([, of]) => of);
  return {
    text: `unnest(${arrays.join(", ")}) with ordinality as ${alias} (${names.join(", ")}, n)`,
    /** How many parameters it takes. */
    length: names.length,
    values: (rows: readonly Row[]): string[] => readers.map((of) => makePgArray(rows.map(of))),
  };
}

/** JSON text of a value, or null. */
export const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/**
 * The first part of a statement for several rows: for so long it waits for what somebody holds, before it is undone and each
 * goes alone.
 */
export const PATIENCE = `patience as materialized (select set_config('lock_timeout', '50ms', true))`;
