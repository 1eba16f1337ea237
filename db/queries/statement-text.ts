import type { Sql } from "../client";

/** Collects the parameters of a statement whose text depends on the filters; `add` answers the placeholder. */
export class Parameters {
  readonly values: (string | number)[] = [];

  add(value: string | number): string {
    return `$${this.values.push(value)}`;
  }

  /** Adds each value the first time that it is asked for. */
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

/** How many rows to fetch for a page of `limit`: at least one more, which tells whether there is a next page. */
export function fetchSize(limit: number): number {
  return FETCH_SIZES.find((size) => size > limit) ?? limit + 1;
}

/** `t.id, t.status`, or with a prefix `p.id as p_id, p.status as p_status`. */
export function columnList(table: string, columns: readonly string[], prefix = ""): string {
  return columns
    .map((column) => (prefix ? `${table}.${column} as ${prefix}${column}` : `${table}.${column}`))
    .join(", ");
}
