import { listSessions } from "@/db/queries/session-list";
import type { Context } from "../context";
import { deviceName } from "./device-name";

export type OwnSession = {
  /** UUID. */
  id: string;
  device: string;
  address: string;
  /** ISO 8601, like the next two. */
  lastSeenAt: string;
  createdAt: string;
  expiresAt: string;
  secondFactor: boolean;
  current: boolean;
};

/** Where the person is signed in: the session that asks (`sessionId`, UUID) first, then the latest used. */
export async function listOwnSessions(ctx: Context, input: { sessionId: string }): Promise<OwnSession[]> {
  const rows = await listSessions(ctx.service.db.orm, ctx.actor.id as string, 100);
  const sessions = rows.map((row) => ({
    id: row.id,
    device: deviceName(row.user_agent),
    address: row.address,
    lastSeenAt: row.last_seen_at,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    secondFactor: row.mfa_at !== null,
    current: row.id === input.sessionId,
  }));
  return sessions.toSorted((a, b) => Number(b.current) - Number(a.current));
}
