import { and, eq } from "drizzle-orm";
import type { Orm, Sql } from "@/db/client";
import type { Mode } from "@/lib/contract/transactions/words";
import { type ReportMailRow, reportMails } from "../../schema/reports";

type ReportMailKey = Pick<ReportMailRow, "environment_id" | "user_id" | "type">;

const withKey = ({ environment_id, user_id, type }: ReportMailKey) =>
  and(eq(reportMails.environment_id, environment_id), eq(reportMails.user_id, user_id), eq(reportMails.type, type));

/** The reports that a user gets by mail. */
export function listReportMails(orm: Orm, environmentId: string, userId: string): Promise<ReportMailRow[]> {
  return orm
    .select()
    .from(reportMails)
    .where(and(eq(reportMails.environment_id, environmentId), eq(reportMails.user_id, userId)));
}

export async function storeReportMail(orm: Orm, row: ReportMailRow): Promise<void> {
  const { every, due_at } = row;
  await orm
    .insert(reportMails)
    .values(row)
    .onConflictDoUpdate({
      target: [reportMails.environment_id, reportMails.user_id, reportMails.type],
      set: { every, due_at },
    });
}

export async function deleteReportMail(orm: Orm, key: ReportMailKey): Promise<void> {
  await orm.delete(reportMails).where(withKey(key));
}

export type DueReportMail = ReportMailRow & { now: string; mode: Mode; time_zone: string };

/** Mails that are due by the clocks of their environments, longest due first. */
export const listDueReportMails = async (sql: Sql, limit: number): Promise<DueReportMail[]> => sql<DueReportMail[]>`
  select r.*, clock_now(r.environment_id) as now, e.mode, m.time_zone
  from report_mails r
  join environments e on e.id = r.environment_id
  join merchants m on m.id = e.merchant_id
  where r.due_at <= clock_now(r.environment_id)
  order by r.due_at limit ${limit}::int`;

/** False if another process was faster, or the user chose differently in the meantime. */
export async function moveReportMail(orm: Orm, due: ReportMailRow, dueAt: string): Promise<boolean> {
  const moved = await orm
    .update(reportMails)
    .set({ due_at: dueAt })
    .where(and(withKey(due), eq(reportMails.every, due.every), eq(reportMails.due_at, due.due_at)))
    .returning({ type: reportMails.type });
  return moved.length === 1;
}
