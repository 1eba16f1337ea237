import { revokeSession } from "@/db/queries/user-sessions";
import type { Service } from "@/lib/domain/context";

/** Ends a session at once, wherever its cookie still is. */
export async function endSession(service: Pick<Service, "db">, sessionId: string): Promise<void> {
  await revokeSession(service.db.sql, sessionId);
}
