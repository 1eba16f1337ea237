import { deleteOldMail } from "@/db/queries/mail-outbox";
import { deleteOldSessions } from "@/db/queries/session-list";
import { deleteOldTokens } from "@/db/queries/user-tokens";
import type { Service } from "../context";

const AT_ONCE = 5_000;

/** Removes sessions, mailed links and mails of which the last use was over 30 days ago, some at a time; answers how many. */
export async function removeOldSignIns(service: Pick<Service, "db">): Promise<number> {
  const { orm } = service.db;
  const sessions = await deleteOldSessions(orm, AT_ONCE);
  const tokens = await deleteOldTokens(orm, AT_ONCE);
  return sessions + tokens + (await deleteOldMail(orm, AT_ONCE));
}
