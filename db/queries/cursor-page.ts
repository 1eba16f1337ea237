import type { Sql } from "../client";
import { BATCH, type OpenExport, openExport } from "./export";
import type { Parameters } from "./statement-text";

/** A list of whole rows. SQL text, never from a caller, with placeholders of `parameters`. */
export type RowList = {
  readonly table: string;
  readonly environmentId: string;
  /** Conditions on the row `r`. */
  readonly where: readonly string[];
  readonly parameters: Parameters;
  /** Sort expression for the row with this alias; null to sort by id only. */
  readonly key: ((alias: string) => string) | null;
  readonly order: "asc" | "desc";
};

export type CursorPage = {
  readonly limit: number;
  /** UUID of the row before the page, or of the one after it. */
  readonly after: string | null;
  readonly before: string | null;
};

/** A page's rows as JSON, and whether there are any before and after it. */
export type RowPage = {
  readonly rows: readonly { row: unknown }[];
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
};

const sortOf = ({ key, order }: RowList, alias = "r") =>
  key === null ? `${alias}.id ${order}` : `${key(alias)} ${order}, ${alias}.id ${order}`;

const keyOf = ({ key }: RowList, alias: string) => (key === null ? `${alias}.id` : `(${key(alias)}, ${alias}.id)`);

/** One page in the list's order. A cursor that isn't in the environment gives an empty one. */
export async function readCursorPage(sql: Sql, list: RowList, page: CursorPage): Promise<RowPage> {
  const { table, parameters, where } = list;
  const cursor = page.after ?? page.before;
  const isBack = page.after === null && page.before !== null;
  const order = isBack ? (list.order === "asc" ? "desc" : "asc") : list.order;
  const environment = parameters.add(list.environmentId);
  const conditions = [`r.environment_id = ${environment}::uuid`, ...where];
  if (cursor !== null) {
    const columns = list.key === null ? "c.id" : `${list.key("c")}, c.id`;
    conditions.push(
      `${keyOf(list, "r")} ${order === "asc" ? ">" : "<"} (select ${columns} from ${table} c
        where c.environment_id = ${environment}::uuid and c.id = ${parameters.add(cursor)}::uuid)`,
    );
  }
  const found = await sql.unsafe<{ row: unknown }[]>(
    `select to_jsonb(r) as row from ${table} r where ${conditions.join(" and ")}
      order by ${sortOf({ ...list, order })} limit ${page.limit + 1}`,
    parameters.values,
    { prepare: false },
  );
  const rows = found.slice(0, page.limit);
  const hasMore = found.length > page.limit;
  if (isBack) rows.reverse();
  return { rows, hasBefore: isBack ? hasMore : cursor !== null, hasAfter: isBack ? true : hasMore };
}

/** Number of rows in the list, counted no further than `cap` + 1. */
export async function countRows(sql: Sql, { table, parameters, where, environmentId }: RowList, cap: number) {
  const conditions = [`r.environment_id = ${parameters.add(environmentId)}::uuid`, ...where].join(" and ");
  const [row] = await sql.unsafe<{ count: number }[]>(
    `select count(*)::integer as count from (select 1 from ${table} r where ${conditions} limit ${cap + 1}) matched`,
    parameters.values,
    { prepare: false },
  );
  return row?.count ?? 0;
}

/** The whole list, in one snapshot. Takes over `sql` and ends it. */
export function openWholeList(sql: Sql, list: RowList): Promise<OpenExport<{ row: unknown }>> {
  const { table, parameters, where, environmentId } = list;
  const conditions = [`r.environment_id = ${parameters.add(environmentId)}::uuid`, ...where].join(" and ");
  const { values } = parameters;
  return openExport(sql, async (tx) => {
    const [counted] = await tx.unsafe<{ total: number }[]>(
      `select count(*)::integer as total from ${table} r where ${conditions}`,
      values,
    );
    const rows = tx.unsafe<{ row: unknown }[]>(
      `select to_jsonb(r) as row from ${table} r where ${conditions} order by ${sortOf(list)}`,
      values,
    );
    return { total: counted?.total ?? 0, cursor: rows.cursor(BATCH) };
  });
}
