import { and, eq, isNull, sql } from "drizzle-orm";
import type { Orm, Sql } from "@/db/client";
import { environments } from "@/db/schema/accounts";
import { type ClientSessionRow, clientSessions } from "@/db/schema/checkout";
import type { Mode } from "@/lib/contract/transactions/words";
import type { DuePage } from "../payments/due-payments";

/**
 * By then, any request that began before the expiry has paid or closed the session, whatever its clock, so
 * that no session is reported expired while being paid or cancelled.
 */
const GRACE = "interval '3 seconds'";

/** Sessions whose expiry event may still be due; the condition of the index `client_sessions_expiring`. */
const TELLS = "tells_expiry and status = 'OPEN' and payment_link_id is null";
const IS_DUE = `${TELLS} and open_payment_id is null and expires_at <= now() - ${GRACE}`;

/**
 * Environments after `after` with expired sessions not yet reported, in id order. One index lookup per
 * environment with open sessions. Index: `client_sessions_expiring`.
 */
export async function listEnvironmentsWithExpired(
  client: Sql,
  { after, limit }: Pick<DuePage, "after" | "limit">,
): Promise<{ id: string; mode: Mode }[]> {
  const tells = client.unsafe(TELLS);
  return client<{ id: string; mode: Mode }[]>`
    with recursive holding as (
      (select environment_id from client_sessions where ${tells} and environment_id > ${after}::uuid
        order by environment_id, expires_at limit 1)
      union all
      select later.environment_id from holding cross join lateral (
        select environment_id from client_sessions where ${tells} and environment_id > holding.environment_id
        order by environment_id, expires_at limit 1) later
    )
    select e.id, e.mode from holding h join environments e on e.id = h.environment_id
    where exists (select from client_sessions s where s.environment_id = h.environment_id and ${client.unsafe(IS_DUE)})
    order by e.id limit ${limit}::int`;
}

/**
 * Claims an environment's expired, unreported sessions, oldest first, locked until the transaction ends.
 * While its clock advances, no request can pay a session, so there is no grace period. Sessions locked by a
 * request are left for the next run.
 */
export function takeExpiredSessions(tx: Orm, environmentId: string, limit: number): Promise<ClientSessionRow[]> {
  const due = and(
    eq(clientSessions.environment_id, environmentId),
    clientSessions.tells_expiry,
    eq(clientSessions.status, sql`'OPEN'`),
    isNull(clientSessions.payment_link_id),
    isNull(clientSessions.open_payment_id),
    sql`${clientSessions.expires_at} <= (select coalesce(clock_frozen_at, clock_now(id) - ${sql.raw(GRACE)})
      from ${environments} where id = ${environmentId}::uuid)`,
  );
  const ids = tx
    .select({ id: clientSessions.id })
    .from(clientSessions)
    .where(due)
    .orderBy(clientSessions.expires_at)
    .limit(limit)
    .for("no key update", { skipLocked: true });
  return tx
    .update(clientSessions)
    .set({ tells_expiry: false })
    .where(and(eq(clientSessions.environment_id, environmentId), sql`${clientSessions.id} = any(array(${ids}))`))
    .returning();
}
