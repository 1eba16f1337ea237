import { and, eq, gt, isNull, lt, sql } from "drizzle-orm";
import { CLIENT_SESSION_ATTEMPTS } from "@/lib/contract/checkout/client-session";
import type { Orm } from "../client";
import { type ClientSessionRow, clientSessions } from "../schema/client-sessions";

export async function insertClientSession(
  orm: Orm,
  environmentId: string,
  session: Omit<ClientSessionRow, "environment_id" | "attempts" | "payment_id" | "open_payment_id">,
): Promise<ClientSessionRow> {
  const rows = await orm
    .insert(clientSessions)
    .values({ environment_id: environmentId, ...session })
    .returning();
  return rows[0] as ClientSessionRow;
}

export async function findClientSession(orm: Orm, environmentId: string, id: string): Promise<ClientSessionRow | null> {
  const rows = await orm
    .select()
    .from(clientSessions)
    .where(and(eq(clientSessions.environment_id, environmentId), eq(clientSessions.id, id)));
  return rows[0] ?? null;
}

/** The session as it is, and as it stays until the transaction ends. */
export async function lockClientSession(orm: Orm, environmentId: string, id: string): Promise<ClientSessionRow | null> {
  const rows = await orm
    .select()
    .from(clientSessions)
    .where(and(eq(clientSessions.environment_id, environmentId), eq(clientSessions.id, id)))
    .for("update");
  return rows[0] ?? null;
}

/**
 * Closes a session that is open and has no payment under way; null for any other. One past its time at `now` is EXPIRED, and
 * no longer open, unless `evenExpired`.
 */
export async function cancelOpenClientSession(
  orm: Orm,
  environmentId: string,
  id: string,
  now: string,
  { evenExpired }: { evenExpired: boolean },
): Promise<ClientSessionRow | null> {
  const rows = await orm
    .update(clientSessions)
    .set({ status: "CANCELLED", updated_at: now })
    .where(
      and(
        eq(clientSessions.environment_id, environmentId),
        eq(clientSessions.id, id),
        eq(clientSessions.status, "OPEN"),
        isNull(clientSessions.open_payment_id),
        evenExpired ? undefined : gt(clientSessions.expires_at, now),
      ),
    )
    .returning();
  return rows[0] ?? null;
}

/**
 * Counts an attempt that makes no payment. False: the session is paid, closed, busy with a payment, or has no attempts left.
 * An attempt that pays is counted where the payment is made, in the same statement.
 */
export async function countClientSessionAttempt(orm: Orm, environmentId: string, id: string): Promise<boolean> {
  const rows = await orm
    .update(clientSessions)
    .set({ attempts: sql`${clientSessions.attempts} + 1`, updated_at: sql`now()` })
    .where(
      and(
        eq(clientSessions.environment_id, environmentId),
        eq(clientSessions.id, id),
        eq(clientSessions.status, "OPEN"),
        isNull(clientSessions.open_payment_id),
        gt(clientSessions.expires_at, sql`now()`),
        lt(clientSessions.attempts, CLIENT_SESSION_ATTEMPTS),
      ),
    )
    .returning({ id: clientSessions.id });
  return rows.length === 1;
}
