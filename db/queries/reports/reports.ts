import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { ReportTotals } from "@/lib/contract/reports/report-types";
import type { Orm } from "../../client";
import { type ReportRecord, reports } from "../../schema/reports";
import { countUpTo } from "../statement-text";

export async function insertReport(orm: Orm, record: ReportRecord): Promise<void> {
  await orm.insert(reports).values(record);
}

export async function findReport(orm: Orm, environmentId: string, id: string): Promise<ReportRecord | null> {
  const [row] = await orm
    .select()
    .from(reports)
    .where(and(eq(reports.environment_id, environmentId), eq(reports.id, id)));
  return row ?? null;
}

/** Newest first. Index: the primary key. */
export function listReports(
  orm: Orm,
  environmentId: string,
  page: { limit: number; offset: number; after: string | null },
): Promise<ReportRecord[]> {
  return orm
    .select()
    .from(reports)
    .where(and(eq(reports.environment_id, environmentId), page.after === null ? undefined : lt(reports.id, page.after)))
    .orderBy(desc(reports.id))
    .limit(page.limit)
    .offset(page.offset);
}

/** Number of reports, counted no further than `cap` + 1. */
export const countReports = (orm: Orm, environmentId: string, cap: number) =>
  countUpTo(orm, reports, eq(reports.environment_id, environmentId), cap + 1);

/** Number of an environment's reports that are due, counted no further than `cap`. Index: `reports_pending`. */
export const countPendingReports = (orm: Orm, environmentId: string, cap: number) =>
  countUpTo(orm, reports, and(eq(reports.environment_id, environmentId), eq(reports.status, "PENDING")), cap);

/**
 * A change may commit after the end of the day that it is dated in: T2 accepts times up to a minute old, and its
 * statement may take seconds. Totals that lack it would differ from the report's file.
 */
const COMMITTED_AFTER = sql`interval '90 seconds'`;

/**
 * Reports of all environments whose totals are due: the oldest of each environment, then their second ones, so
 * that nobody waits for all of another's. Those of days that were over wait for their last changes. Index:
 * `reports_pending`.
 */
export function listPendingReports(orm: Orm, limit: number): Promise<ReportRecord[]> {
  const { environment_id, status, created_at, ends_at } = reports;
  const isDue = sql`case when ${ends_at} > ${created_at} then true
    else clock_now(${environment_id}) >= ${ends_at} + ${COMMITTED_AFTER} end`;
  return orm
    .select()
    .from(reports)
    .where(and(eq(status, "PENDING"), isDue))
    .orderBy(
      sql`row_number() over (partition by ${reports.environment_id} order by ${reports.created_at}, ${reports.id})`,
      reports.created_at,
      reports.id,
    )
    .limit(limit);
}

type Ended = { status: "READY"; totals: ReportTotals[]; rows: number } | { status: "FAILED"; failure_reason: string };

/** Ends a pending report. Without effect if another process was faster. */
export async function endReport(
  orm: Orm,
  environmentId: string,
  id: string,
  ended: Ended & { updated_at: string },
): Promise<void> {
  await orm
    .update(reports)
    .set(ended)
    .where(and(eq(reports.environment_id, environmentId), eq(reports.id, id), eq(reports.status, "PENDING")));
}
