import type { Sql } from "../client";
import type { ActorRecord } from "../schema/operations";
import type { RequestErrorRow } from "../schema/request-log";

export type { ActorRecord, RequestErrorRow };

/** Writes refused and failed requests, all in one statement. A row that is there already stays. */
export async function insertRequestErrors(sql: Sql, rows: readonly RequestErrorRow[]): Promise<void> {
  await sql`
    insert into request_errors (environment_id, id, actor, operation, method, path, status, code, detail, param, created_at)
    select environment_id, id, actor, operation, method, path, status, code, detail, param, created_at
    from jsonb_to_recordset(${rows as never}::jsonb) as r (environment_id uuid, id uuid, actor jsonb, operation text,
      method text, path text, status smallint, code text, detail text, param text, created_at timestamptz)
    on conflict do nothing`;
}

/** An environment's newest first. Ids are in the order of time, so it is the primary key read backwards. */
export async function findRecentRequestErrors(
  sql: Sql,
  environmentId: string,
  limit: number,
): Promise<RequestErrorRow[]> {
  return sql<RequestErrorRow[]>`
    select * from request_errors where environment_id = ${environmentId}::uuid order by id desc limit ${limit}::int`;
}

/** By the request's id alone, whoever's it is. Index: `request_errors_id`. */
export async function findRequestError(sql: Sql, requestId: string): Promise<RequestErrorRow | null> {
  const [row] = await sql<RequestErrorRow[]>`select * from request_errors where id = ${requestId}::uuid limit 1`;
  return row ?? null;
}

/** Deletes what is older than 30 days; answers how many. Index: `request_errors_age`. */
export async function deleteOldRequestErrors(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from request_errors
    where (environment_id, id) in (
      select environment_id, id from request_errors
      where created_at <= now() - interval '30 days'
      limit ${limit}::int
      for update skip locked
    )`;
  return removed.count;
}
