import { sql as fragment, type SQL } from "drizzle-orm";
import { makePgArray, type PgTable } from "drizzle-orm/pg-core";
import type postgres from "postgres";
import type { Orm, Sql } from "../client";

/** A part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** Collects the parameters of a statement whose text depends on the filters; `add` returns the placeholder. */
export class Parameters {
  readonly values: (string | number)[] = [];

  add(value: string | number): string {
    return `$${this.values.push(value)}`;
  }

  /** Adds each value at its first use. */
  once(): (value: string) => string {
    const known = new Map<string, string>();
    return (value) => {
      const placeholder = known.get(value) ?? this.add(value);
      known.set(value, placeholder);
      return placeholder;
    };
  }

  /** `= $1`, or `in ($1, $2)`. */
  oneOf(values: readonly string[]): string {
    const placeholders = values.map((value) => this.add(value)).join(", ");
    return values.length === 1 ? `= ${placeholders}` : `in (${placeholders})`;
  }
}

export type StatementText = {
  readonly text: string;
  readonly parameters: Parameters;
  /** Keep the plan on the connection. For the few shapes whose plan does not depend on the values. */
  readonly prepare: boolean;
};

export function runText<Row extends object>(sql: Sql, statement: StatementText): Promise<Row[]> {
  const { text, parameters, prepare } = statement;
  return sql.unsafe<Row[]>(text, parameters.values, { prepare });
}

/** Of prepared pages only these sizes exist, so that a connection keeps a handful of plans and not a hundred. */
const FETCH_SIZES = [21, 51, 101];

/** How many rows to fetch for a page of `limit`: at least one more, to know whether there is a next page. */
export function fetchSize(limit: number): number {
  return FETCH_SIZES.find((size) => size > limit) ?? limit + 1;
}

/** `t.id, t.status`, or with a prefix `p.id as p_id, p.status as p_status`. */
export function columnList(table: string, columns: readonly string[], prefix = ""): string {
  return columns
    .map((column) => (prefix ? `${table}.${column} as ${prefix}${column}` : `${table}.${column}`))
    .join(", ");
}

/** How many rows match, counting no further than `most`. */
export async function countUpTo(orm: Orm, table: PgTable, where: SQL | undefined, most: number): Promise<number> {
  const some = orm
    .select({ one: fragment`1`.as("one") })
    .from(table)
    .where(where)
    .limit(most)
    .as("some");
  const rows = await orm.select({ count: fragment<number>`count(*)::integer` }).from(some);
  return rows[0]?.count ?? 0;
}

type Value = string | number | boolean | null;

/** Of columns that hold long JSON: it is handed over as it stands, where text in an array has a backslash before each quote. */
export const JSON_TEXT = "json text";
/** A control character: JSON has none as such. */
const BETWEEN = "\u001f";

/** A column of a table that a statement is given: its type in PostgreSQL, and its value in each row. */
export type ArrayColumns<Row> = Readonly<Record<string, readonly [type: string, of: (row: Row) => Value]>>;

/**
 * Rows as one table in a statement: an array for each column, which costs PostgreSQL a tenth of what JSON does. `text` goes
 * after FROM; its parameters are the statement's only ones.
 */
export function arrayTable<Row>(columns: ArrayColumns<Row>, alias: string) {
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map(([type], i) =>
    type === JSON_TEXT ? `string_to_array($${i + 1}::text, '${BETWEEN}', '')` : `$${i + 1}::text::${type}[]`,
  );
  const writers = Object.values(columns).map(([type, of]) =>
    type === JSON_TEXT
      ? (rows: readonly Row[]) => rows.map((row) => of(row) ?? "").join(BETWEEN)
      : (rows: readonly Row[]) => makePgArray(rows.map(of)),
  );
  return {
    text: `unnest(${arrays.join(", ")}) as ${alias} (${names.join(", ")})`,
    values: (rows: readonly Row[]): string[] => writers.map((write) => write(rows)),
  };
}

/** JSON text of a value, or null. */
export const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
