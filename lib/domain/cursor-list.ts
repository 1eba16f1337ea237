/** Lists that the dashboard pages by cursor, and exports as a whole. */
import type { Sql } from "@/db/client";
import type { CursorPage } from "@/db/queries/cursor-page";
import type { OpenExport } from "@/db/queries/export";
import { decodeId } from "@/lib/contract/ids";
import type { ListPlace } from "@/lib/contract/lists/query";
import type { Context } from "./context";

/** The page that a query requests; null if its cursor is no id of this kind. */
export function cursorPageOf(
  { perPage, after, before }: ListPlace,
  kind: "invoice" | "subscription",
): CursorPage | null {
  const page = { limit: perPage, after: after && decodeId(kind, after), before: before && decodeId(kind, before) };
  return (after !== null && !page.after) || (before !== null && !page.before) ? null : page;
}

type Open<Search, Row> = (sql: Sql, environmentId: string, search: Search) => Promise<OpenExport<Row>>;

/** Everything that `search` matches, in one snapshot; nothing if it is null. `close` must be called. */
export async function openWhole<Search, Row, Item>(
  ctx: Context,
  search: Search | null,
  open: Open<Search, Row>,
  present: (rows: Row[]) => Item[] | Promise<Item[]>,
) {
  const { id } = ctx.environment;
  const opened = search && (await open(ctx.service.db.reading.openExport(id), id, search));
  return {
    total: opened?.total ?? 0,
    batches: presented(opened?.batches ?? [], present),
    close: async () => opened?.close(),
  };
}

async function* presented<Row, Item>(
  batches: AsyncIterable<Row[]> | Row[][],
  present: (rows: Row[]) => Item[] | Promise<Item[]>,
) {
  for await (const rows of batches) yield await present(rows);
}
