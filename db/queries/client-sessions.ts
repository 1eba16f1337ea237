import { and, eq, gt } from "drizzle-orm";
import type { Orm } from "../client";
import { type ClientSessionRow, clientSessions } from "../schema/client-sessions";

export async function insertClientSession(
  orm: Orm,
  environmentId: string,
  session: Omit<ClientSessionRow, "environment_id" | "attempts" | "payment_id">,
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

/** Closes a session that is open and not past its time at `now`; null when it is neither or not there. */
export async function cancelOpenClientSession(
  orm: Orm,
  environmentId: string,
  id: string,
  now: string,
): Promise<ClientSessionRow | null> {
  const rows = await orm
    .update(clientSessions)
    .set({ status: "CANCELLED", updated_at: now })
    .where(
      and(
        eq(clientSessions.environment_id, environmentId),
        eq(clientSessions.id, id),
        eq(clientSessions.status, "OPEN"),
        gt(clientSessions.expires_at, now),
      ),
    )
    .returning();
  return rows[0] ?? null;
}
