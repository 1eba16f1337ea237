import { type Sql, withLimit } from "../client";
import type { RequestLogRow } from "../schema/request-log";
import { type ArrayColumns, arrayTable, JSON_TEXT, json, Parameters } from "./statement-text";

const COLUMNS: ArrayColumns<RequestLogRow> = {
  environment_id: ["uuid", (row) => row.environment_id],
  id: ["uuid", (row) => row.id],
  actor: ["jsonb", (row) => json(row.actor)],
  operation: ["text", (row) => row.endpoint],
  method: ["text", (row) => row.method],
  path: ["text", (row) => row.path],
  query: ["text", (row) => row.query],
  status: ["smallint", (row) => row.status],
  code: ["text", (row) => row.code],
  detail: ["text", (row) => row.detail],
  param: ["text", (row) => row.param],
  duration_ms: ["int", (row) => row.duration_ms],
  idempotency_key: ["text", (row) => row.idempotency_key],
  replayed: ["boolean", (row) => row.replayed],
  request_body: [JSON_TEXT, (row) => row.request_body],
  request_kept: ["text", (row) => row.request_kept],
  response_body: [JSON_TEXT, (row) => row.response_body],
  response_kept: ["text", (row) => row.response_kept],
  address: ["text", (row) => row.address],
  user_agent: ["text", (row) => row.user_agent],
  object_id: ["text", (row) => row.object_id],
  left_out: ["int", (row) => row.left_out],
  created_at: ["timestamptz", (row) => row.created_at],
};
const NAMES = Object.keys(COLUMNS).join(", ");
const TABLE = arrayTable(COLUMNS, "r");
const INSERT = `insert into request_log (${NAMES}) select ${NAMES} from ${TABLE.text} on conflict do nothing`;

/** Writes requests of any environments in one statement. An existing row is kept. */
export async function insertRequests(sql: Sql, rows: readonly RequestLogRow[]): Promise<void> {
  await sql.unsafe(INSERT, TABLE.values(rows), { prepare: true });
}

/** Columns of lists: without the bodies. */
const LISTED = `environment_id, id, actor, operation as endpoint, method, path, status, code, detail, duration_ms, replayed,
  left_out, created_at`;

export type ListedRequest = Pick<
  RequestLogRow,
  | "id"
  | "actor"
  | "endpoint"
  | "method"
  | "path"
  | "status"
  | "code"
  | "detail"
  | "duration_ms"
  | "replayed"
  | "left_out"
  | "created_at"
>;

/** Ids are in time order: from `from` to before `before`. */
export type RequestFilters = {
  readonly from: string;
  readonly before: string;
  readonly statuses?: readonly [from: number, to: number];
  readonly method?: string;
  readonly endpoint?: string;
  readonly code?: string;
  readonly pathPrefix?: string;
  readonly objectIds?: readonly string[];
  readonly idempotencyKey?: string;
  readonly actorId?: string;
};

/** Time limit for a rare filter, which reads all of the environment's requests in the range. */
const LIST_MS = 3_000;

/** Newest first. Throws an error for which `isCanceled` is true if too few match among too many. */
export async function findRequests(
  sql: Sql,
  environmentId: string,
  filters: RequestFilters,
  limit: number,
): Promise<ListedRequest[]> {
  const parameters = new Parameters();
  const add = (value: string | number) => parameters.add(value);
  const { statuses, method, endpoint, code, pathPrefix, objectIds, idempotencyKey, actorId } = filters;
  const where = [
    `environment_id = ${add(environmentId)}::uuid and id >= ${add(filters.from)}::uuid and id < ${add(filters.before)}::uuid`,
    ...(statuses ? [`status between ${add(statuses[0])}::int and ${add(statuses[1])}::int`] : []),
    // Lets the index of errors serve the query.
    ...(statuses && statuses[0] >= 400 ? ["code is not null"] : []),
    ...(method ? [`method = ${add(method)}`] : []),
    ...(endpoint ? [`operation = ${add(endpoint)}`] : []),
    ...(code ? [`code = ${add(code)}`] : []),
    ...(pathPrefix ? [`starts_with(path, ${add(pathPrefix)})`] : []),
    ...(objectIds ? [`object_id ${parameters.oneOf(objectIds)}`] : []),
    ...(idempotencyKey ? [`idempotency_key = ${add(idempotencyKey)}`] : []),
    ...(actorId ? [`actor ->> 'id' = ${add(actorId)}`] : []),
  ];
  const text = `select ${LISTED} from request_log where ${where.join(" and ")} order by id desc limit ${add(limit)}::int`;
  return withLimit(sql, LIST_MS, (tx) => tx.unsafe<ListedRequest[]>(text, parameters.values));
}

/** Lookup by id within the environment. Index: primary key of one partition. */
export async function findRequest(sql: Sql, environmentId: string, id: string): Promise<RequestLogRow | null> {
  const [row] = await sql<RequestLogRow[]>`
    select *, operation as endpoint from request_log where environment_id = ${environmentId}::uuid and id = ${id}::uuid`;
  return row ?? null;
}

/** Lookup by id alone, for support: one primary key lookup per environment. */
export async function findRequestAnywhere(sql: Sql, id: string): Promise<RequestLogRow | null> {
  const [row] = await sql<RequestLogRow[]>`
    select r.*, r.operation as endpoint
    from environments e cross join lateral (
      select * from request_log where environment_id = e.id and id = ${id}::uuid limit 1
    ) r
    limit 1`;
  return row ?? null;
}

export type ErrorCount = { code: string; count: number; first_id: string; last_id: string };

/** The latest errors by code, most frequent first. Index: `request_log_errors`, index-only. */
export async function countErrors(
  sql: Sql,
  environmentId: string,
  { from, limit }: { from: string; limit: number },
): Promise<ErrorCount[]> {
  return sql<ErrorCount[]>`
    select code, count(*)::int as count, min(id::text) as first_id, max(id::text) as last_id
    from (
      select code, id from request_log
      where environment_id = ${environmentId}::uuid and id >= ${from}::uuid and code is not null
      order by id desc limit ${limit}::int
    ) latest
    group by code
    order by count desc, last_id desc`;
}

/** Number of the environment's requests that were dropped. Index: `request_log_left_out`, index-only. */
export async function countLeftOut(sql: Sql, environmentId: string, from: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select coalesce(sum(left_out), 0)::int as count from request_log
    where environment_id = ${environmentId}::uuid and id >= ${from}::uuid and left_out > 0`;
  return row?.count ?? 0;
}

/**
 * Ids of a payment's charge and refunds, which requests about it may name instead. Indexes: primary key,
 * `transactions_refunds`.
 */
export async function listTransactionIds(sql: Sql, environmentId: string, paymentId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select charge_id as id from payments where environment_id = ${environmentId}::uuid and id = ${paymentId}::uuid
    union all
    select id from transactions
    where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid and type = 'REFUND'`;
  return rows.map(({ id }) => id);
}

/**
 * Creates the next partition or drops an old one; returns how many it did. Does nothing if another process is
 * doing it or a lock is taken: a later run suffices.
 */
export async function keepRequestLog(sql: Sql): Promise<number> {
  const [row] = await sql<{ done: number }[]>`select keep_request_log() as done`;
  return row?.done ?? 0;
}
