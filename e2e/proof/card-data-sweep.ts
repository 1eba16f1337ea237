import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { Database } from "@/db/client";
import type { Search } from "./card-data-search";

/** Finds as "name, form, in place", sorted and unique. */
export type Finds = string[];

const described = (search: Search, place: string, bytes: Buffer): string[] =>
  search(bytes).map(({ name, form }) => `${name}, ${form}, in ${place}`);

const sorted = (finds: string[]): Finds => [...new Set(finds)].sort();

/** Searches every row of every table, in any schema, as text. */
export async function searchTables(db: Database, search: Search): Promise<{ finds: Finds; rows: number }> {
  const finds: string[] = [];
  let rows = 0;
  for (const table of await tablesOf(db)) {
    const lines = await db.sql.unsafe<{ line: string }[]>(`select t::text as line from ${table} t`);
    rows += lines.length;
    finds.push(...described(search, table, Buffer.from(lines.map(({ line }) => line).join("\n"))));
  }
  return { finds: sorted(finds), rows };
}

/** Finds text columns, and strings in JSON at any depth, that equal one of these values. */
export async function findExactValues(db: Database, values: readonly string[]): Promise<Finds> {
  const finds: string[] = [];
  for (const table of await tablesOf(db)) {
    const rows = await db.sql.unsafe<{ name: string }[]>(
      `select distinct format('%s is %s', column_.key, leaf) as name from ${table} t, jsonb_each(${asJson(table)}) column_,
         jsonb_path_query(column_.value, 'strict $.**') leaf
       where jsonb_typeof(leaf) = 'string' and leaf #>> '{}' = any($1::text[])`,
      [values as string[]],
    );
    finds.push(...rows.map(({ name }) => `${table}.${name}`));
  }
  return sorted(finds);
}

/** Bodies in the request log are text; they are searched as JSON. */
const asJson = (table: string) =>
  /\brequest_log/.test(table)
    ? "to_jsonb(t) || jsonb_build_object('request_body', t.request_body::jsonb, 'response_body', t.response_body::jsonb)"
    : "to_jsonb(t)";

async function tablesOf(db: Database): Promise<string[]> {
  const rows = await db.sql<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'm', 'p') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'
    order by 1`;
  return rows.map(({ name }) => name);
}

/**
 * Searches every file in a folder written since then, including deleted data that hasn't been overwritten.
 */
export function searchFiles(folder: string, search: Search, sinceMs = 0): { finds: Finds; megabytes: number } {
  const finds: string[] = [];
  let size = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readSince(path, sinceMs);
    if (bytes === null) continue;
    size += bytes.length;
    finds.push(...described(search, kindOfFile(path, folder), bytes));
  }
  return { finds: sorted(finds), megabytes: Math.round(size / 1e6) };
}

/** Null for an older file, and for one that PostgreSQL has removed in the meantime. */
function readSince(path: string, sinceMs: number): Buffer | null {
  try {
    return statSync(path).mtimeMs < sinceMs ? null : readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** One name for all files of a kind, whose own names are numbers. */
function kindOfFile(path: string, folder: string): string {
  if (path.includes("/pg_wal/")) return "the write-ahead log";
  return path.includes("/postgres/base/") ? "the tables' files" : relative(folder, path);
}

export const searchText = (place: string, text: string, search: Search): Finds =>
  sorted(described(search, place, Buffer.from(text)));
