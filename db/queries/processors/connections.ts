import { and, asc, eq, ne, sql } from "drizzle-orm";
import type { Orm, Sql, Transaction } from "@/db/client";
import {
  type ConnectionRow,
  type OperatorConnectionRow,
  operatorConnections,
  processorConnections,
  processorRoutes,
  type RouteRow,
} from "@/db/schema/processors";
import { LATE_APPROVAL } from "@/lib/contract/payments/words";
import type { Mode } from "@/lib/contract/transactions/words";

const connections = processorConnections;
const own = (environmentId: string, id: string) =>
  and(eq(connections.environment_id, environmentId), eq(connections.id, id));

/**
 * Environments with connections, and a number that changes with their connections and rules. Index:
 * `…_revisions`.
 */
export async function readRevisions(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ environment_id: string; revision: number }[]>`
    select environment_id, sum(revision)::bigint as revision from processor_connections group by environment_id`;
  return new Map(rows.map((row) => [row.environment_id, row.revision]));
}

/** An environment's connections, oldest first, including disconnected ones. */
export async function listConnections(orm: Orm, environmentId: string): Promise<ConnectionRow[]> {
  return orm
    .select()
    .from(connections)
    .where(eq(connections.environment_id, environmentId))
    .orderBy(asc(connections.id))
    .limit(1_000);
}

/** An environment's routing rules, by position. */
export async function listRoutes(orm: Orm, environmentId: string): Promise<RouteRow[]> {
  return orm
    .select()
    .from(processorRoutes)
    .where(eq(processorRoutes.environment_id, environmentId))
    .orderBy(asc(processorRoutes.position))
    .limit(1_000);
}

export async function findConnection(orm: Orm, environmentId: string, id: string): Promise<ConnectionRow | null> {
  const [row] = await orm.select().from(connections).where(own(environmentId, id));
  return row ?? null;
}

/** The environment of a connection known only by id. Index: `processor_connections_id`. */
export async function findEnvironmentOfConnection(sql: Sql, id: string): Promise<{ id: string; mode: Mode } | null> {
  const [row] = await sql<{ id: string; mode: Mode }[]>`
    select e.id, e.mode from processor_connections c join environments e on e.id = c.environment_id
    where c.id = ${id}::uuid`;
  return row ?? null;
}

/**
 * Locks all of an environment's connections in a fixed order, because changes of one depend on the others.
 */
export async function lockConnections(tx: Orm, environmentId: string): Promise<ConnectionRow[]> {
  return tx
    .select()
    .from(connections)
    .where(eq(connections.environment_id, environmentId))
    .orderBy(asc(connections.id))
    .for("update");
}

/** Null if the account is already connected in this environment. */
export async function insertConnection(
  tx: Orm,
  environmentId: string,
  row: Omit<
    ConnectionRow,
    "environment_id" | "revision" | "reports_place" | "reports_read_at" | "reports_held_since" | "last_webhook_at"
  >,
): Promise<ConnectionRow | null> {
  const [inserted] = await tx
    .insert(connections)
    .values({ ...row, environment_id: environmentId })
    .onConflictDoNothing()
    .returning();
  return inserted ?? null;
}

/** Changes settings that payments depend on; every process notices within one second. */
export async function updateConnection(
  tx: Orm,
  environmentId: string,
  id: string,
  change: Partial<
    Pick<
      ConnectionRow,
      | "label"
      | "account"
      | "status"
      | "credentials"
      | "hint"
      | "takes_webhooks"
      | "raw_cards"
      | "metadata_keys"
      | "is_default"
      | "checked_at"
      | "check_problem"
    >
  > & { updated_at: string },
): Promise<ConnectionRow> {
  const [row] = await tx
    .update(connections)
    .set({ ...change, revision: sql`${connections.revision} + 1` })
    .where(own(environmentId, id))
    .returning();
  if (!row) throw new Error(`connection ${id} is gone`);
  return row;
}

/** Clears the default flag of all other connections. */
export async function clearDefault(tx: Orm, environmentId: string, except: string): Promise<void> {
  await tx
    .update(connections)
    .set({ is_default: false, revision: sql`${connections.revision} + 1` })
    .where(
      and(eq(connections.environment_id, environmentId), eq(connections.is_default, true), ne(connections.id, except)),
    );
}

/** Stores the result of a check. Payments do not depend on it. */
export async function recordCheck(
  orm: Orm,
  environmentId: string,
  id: string,
  check: { checked_at: string; check_problem: string | null },
): Promise<void> {
  await orm.update(connections).set(check).where(own(environmentId, id));
}

/** Replaces all rules. The caller holds locks on the environment's connections. */
export async function replaceRoutes(
  tx: Orm,
  environmentId: string,
  routes: readonly Pick<RouteRow, "currency" | "brand" | "connection_id">[],
): Promise<void> {
  await tx.delete(processorRoutes).where(eq(processorRoutes.environment_id, environmentId));
  const rows = routes.map((route, position) => ({ ...route, environment_id: environmentId, position }));
  if (rows.length > 0) await tx.insert(processorRoutes).values(rows);
  await tx
    .update(connections)
    .set({ revision: sql`${connections.revision} + 1` })
    .where(eq(connections.environment_id, environmentId));
}

/** Open items at a connection. */
export type OpenAtConnection = {
  operations: number;
  authorized: number;
  challenges: number;
  refunds: number;
  /** Approved after the payment had ended, and not voided yet: the void is retried. */
  late_approvals: number;
  tokens: number;
};

/**
 * Counts what could not be completed without the connection. The caller holds its row lock, of which T1 of a
 * payment takes a share. Indexes: `payments_connection`, `operations_late_approvals`.
 */
export async function countOpenAt(tx: Orm, environmentId: string, id: string): Promise<OpenAtConnection> {
  const [row] = await tx.execute<OpenAtConnection>(sql`
    select count(*) filter (where p.open_operation_id is not null)::int as operations,
      count(*) filter (where p.status = 'AUTHORIZED')::int as authorized,
      count(*) filter (where p.status = 'REQUIRES_ACTION')::int as challenges,
      count(*) filter (where p.refund_pending > 0)::int as refunds,
      (select count(*) from (
          select o.payment_id from operations o
          where o.environment_id = ${environmentId}::uuid and o.kind = 'void' and o.detail = ${sql.raw(`'${LATE_APPROVAL}'`)}
            and o.state <> 'open'
          group by o.payment_id having not bool_or(o.state = 'succeeded')
        ) refused
        join payments l on l.environment_id = ${environmentId}::uuid and l.id = refused.payment_id
        where l.connection_id = ${id}::uuid and l.status in ('DECLINED', 'FAILED') and l.open_operation_id is null
          -- A void that the processor has refused for 60 days needs manual settlement.
          and l.created_at > now() - interval '60 days')::int
        as late_approvals,
      (select count(*) from payment_tokens t where t.environment_id = ${environmentId}::uuid and t.connection_id = ${id}::uuid
        and t.processor_token <> '' and t.expires_at > now())::int as tokens
    from payments p
    where p.environment_id = ${environmentId}::uuid and p.connection_id = ${id}::uuid
      and (p.open_operation_id is not null or p.refund_pending > 0 or p.status in ('AUTHORIZED', 'REQUIRES_ACTION'))`);
  if (!row) throw new Error("a count has a row");
  return row;
}

/** A payment's connection; null if there is no such payment. Index: the primary key. */
export async function findConnectionOfPayment(
  sql: Sql,
  environmentId: string,
  paymentId: string,
): Promise<{ connection_id: string | null } | null> {
  const [row] = await sql<{ connection_id: string | null }[]>`
    select connection_id from payments where environment_id = ${environmentId}::uuid and id = ${paymentId}::uuid`;
  return row ?? null;
}

/** True if it is a merchant's connection, connected or not: not the operator's, or a built-in processor. */
export async function isMerchantsConnection(
  sql: Sql | Transaction,
  environmentId: string,
  id: string | null,
): Promise<boolean> {
  const rows = await sql`
    select from processor_connections where environment_id = ${environmentId}::uuid and id = ${id}::uuid`;
  return rows.length > 0;
}

/** Records that a message arrived, at most once per second. */
export async function noteMessage(sql: Sql, id: string): Promise<void> {
  const stale = sql`(last_webhook_at is null or last_webhook_at < now() - interval '1 second')`;
  await sql`update processor_connections set last_webhook_at = now() where id = ${id}::uuid and ${stale}`;
  await sql`update operator_connections set last_webhook_at = now() where id = ${id}::uuid and ${stale}`;
}

/** A report list to continue reading, of a merchant's connection or the operator's. */
export type UnreadReports = { id: string; cursor: string | null; held_since: string | null };

/** Lease on a list that is being read. */
const READING = "1 minute";

/**
 * Claims report lists not read for one minute, longest unread first; no other process claims them for that
 * long. Index: `processor_connections_unread`.
 */
export async function takeUnreadReports(sql: Sql, limit: number): Promise<UnreadReports[]> {
  const due = sql`(reports_read_at is null or reports_read_at < now() - ${READING}::interval or reports_read_at > now() + ${READING}::interval)`;
  return sql<UnreadReports[]>`
    with merchants as (
      update processor_connections set reports_read_at = now()
      where id in (
        select id from processor_connections where credentials is not null and ${due}
        order by reports_read_at nulls first limit ${limit}::int for no key update skip locked)
      returning id, reports_place as cursor, reports_held_since as held_since
    ),
    operators as (
      update operator_connections set reports_read_at = now()
      where id in (select id from operator_connections where ${due} limit ${limit}::int for no key update skip locked)
      returning id, reports_place as cursor, reports_held_since as held_since
    )
    select * from merchants union all select * from operators`;
}

/** Stores the position of the next page, unless another process has advanced it since it was read. */
export async function saveReportsCursor(
  sql: Sql,
  { id, cursor: from }: UnreadReports,
  cursor: string | null,
  held: boolean,
): Promise<void> {
  for (const table of ["processor_connections", "operator_connections"]) {
    await sql`
      update ${sql(table)} set reports_place = ${cursor},
        reports_held_since = case when ${held}::boolean then coalesce(reports_held_since, now()) end
      where id = ${id}::uuid and reports_place is not distinct from ${from}::text`;
  }
}

/** The account that these credentials were found to belong to. */
export async function findOperatorAccount(
  orm: Orm,
  processor: string,
  credentialsDigest: string,
): Promise<OperatorConnectionRow | null> {
  const [row] = await orm
    .select()
    .from(operatorConnections)
    .where(
      and(eq(operatorConnections.processor, processor), eq(operatorConnections.credentials_digest, credentialsDigest)),
    );
  return row ?? null;
}

export async function storeOperatorConnection(
  orm: Orm,
  row: Pick<OperatorConnectionRow, "id" | "processor" | "account" | "credentials_digest" | "checked_at">,
): Promise<void> {
  const { credentials_digest, checked_at } = row;
  await orm
    .insert(operatorConnections)
    .values(row)
    .onConflictDoUpdate({ target: operatorConnections.id, set: { credentials_digest, checked_at } });
}
