import { getMerchantDays } from "@/db/queries/reporting/daily-totals";
import {
  countPendingReports,
  countReports,
  endReport,
  findReport,
  insertReport,
  listPendingReports,
  listReports as selectReports,
} from "@/db/queries/reports/reports";
import { isCanceled } from "@/db/refusals";
import type { ReportRecord } from "@/db/schema/reports";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { AppError } from "@/lib/contract/errors";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId, encodeId } from "@/lib/contract/ids";
import {
  type CreateReportBody,
  FILE_URL_HOURS,
  type ListReportsQuery,
  type Report,
} from "@/lib/contract/reports/report";
import { dayInstants, dayOfMoment, isDay } from "@/lib/contract/transactions/time-range";
import { API_ENVIRONMENTS } from "@/lib/contract/transactions/words";
import { idTime } from "@/lib/ids";
import { findShop } from "../checkout/shop";
import {
  type Context,
  type Environment,
  newEnvironmentId,
  type Reply,
  resourceNotFound,
  type Service,
} from "../context";
import { recordAct } from "../events/event";
import { runOnce } from "../idempotency/run-once";
import { type ListResult, presentList, readInTime, unknownCursor } from "../lists";
import { type ReportSubject, sumReportOf } from "./read-report";

/** Max reports of an environment that wait to be added up. */
const MAX_PENDING = 100;

/** Stores what the report covers; `prepareReports` adds it up. Throws `rate_limited` while too many wait. */
export async function createReport(ctx: Context, input: CreateReportBody): Promise<Reply> {
  const { id: environmentId } = ctx.environment;
  // Read before the transaction, which must not wait for a second connection.
  const time_zone =
    input.time_zone ?? (await getMerchantDays(ctx.service.db.within(environmentId).sql, environmentId)).time_zone;
  const days = { from: dayOfMoment(input.from, time_zone), to: dayOfMoment(input.to, time_zone) };
  for (const param of ["from", "to"] as const) {
    // A time at the edge of what can be counted may be a day beyond it in the time zone.
    if (!isDay(days[param])) throw refusedDay(param, "Use a day such as 2026-11-30.");
  }
  // Which days the times stand for, and so their order, depends on the time zone.
  if (days.from > days.to) throw refusedDay("from", "from must not be later than to.");
  const { from, before } = dayInstants(days, time_zone);
  return runOnce(ctx, async (tx): Promise<Report> => {
    if ((await countPendingReports(tx, environmentId, MAX_PENDING)) >= MAX_PENDING) {
      const detail = `${MAX_PENDING} reports wait to be added up already. Create this one when some are ready.`;
      throw new AppError("rate_limited", detail, { retryAfterSeconds: 5 });
    }
    const id = newEnvironmentId(ctx);
    const created_at = idTime(id);
    const record: ReportRecord = {
      environment_id: environmentId,
      id,
      type: input.type,
      status: "PENDING",
      from_day: days.from,
      to_day: days.to,
      starts_at: from.toISOString(),
      ends_at: before.toISOString(),
      time_zone,
      currency: input.currency,
      format: input.format,
      locale: input.locale,
      rows: null,
      totals: null,
      failure_reason: null,
      created_at,
      updated_at: created_at,
    };
    await insertReport(tx, record);
    await recordAct(ctx, tx, "report.created", id);
    return presentReport(ctx, record);
  });
}

const refusedDay = (param: "from" | "to", message: string) =>
  new AppError("invalid_parameter", message, { errors: [{ param, code: "invalid_parameter", message }] });

export async function getReport(ctx: Context, input: { id: string }): Promise<Report> {
  const record = await findRecord(ctx, input.id);
  if (record === null) throw resourceNotFound("report", input.id);
  return presentReport(ctx, record);
}

async function findRecord({ service, environment }: Context, publicId: string): Promise<ReportRecord | null> {
  const id = decodeId("report", publicId);
  return id === null ? null : findReport(service.db.within(environment.id).orm, environment.id, id);
}

/** One page of reports, newest first. */
export async function listReports(ctx: Context, query: ListReportsQuery): Promise<ListResult<Report>> {
  const { limit = 20, offset = 0, starting_after } = query;
  const after = starting_after === undefined ? null : await findRecord(ctx, starting_after);
  if (starting_after !== undefined && after === null) throw unknownCursor("report", starting_after);
  const { id: environmentId } = ctx.environment;
  const { orm } = ctx.service.db.within(environmentId);
  const [records, total] = await readInTime(query, () =>
    Promise.all([
      selectReports(orm, environmentId, { limit: limit + 1, offset, after: after?.id ?? null }),
      countReports(orm, environmentId, TOTAL_CAP),
    ]),
  );
  const data = records.slice(0, limit).map((record) => presentReport(ctx, record));
  return presentList(data, { hasMore: records.length > limit, total }, limit, offset);
}

function presentReport({ service, environment }: Context, record: ReportRecord): Report {
  return {
    id: encodeId("report", record.id),
    object: "report",
    type: record.type,
    status: record.status,
    from: record.from_day,
    to: record.to_day,
    time_zone: record.time_zone,
    currency: record.currency,
    format: record.format,
    locale: record.locale,
    rows: record.rows,
    totals: record.totals,
    failure_reason: record.failure_reason,
    file_url: record.status === "READY" ? fileUrl(service, record) : null,
    environment: API_ENVIRONMENTS[environment.mode],
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}

const PURPOSE = "report-file";
const HOUR_SECONDS = 3600;

type ReportKey = Pick<ReportRecord, "environment_id" | "id">;

/** Contents of a file's address: its report, and the second in which it ends. */
const signedText = ({ environment_id, id }: ReportKey, endsAt: string) => `${environment_id} ${id} ${endsAt}`;

function fileUrl({ baseUrl, clock, secret }: Service, { environment_id, id }: ReportKey): string {
  const endsAt = String(Math.floor(clock.now().getTime() / 1_000) + FILE_URL_HOURS * HOUR_SECONDS);
  const mac = secret.mac(PURPOSE, signedText({ environment_id, id }, endsAt));
  return `${baseUrl}/report-file/${encodeId("environment", environment_id)}.${encodeId("report", id)}.${endsAt}.${mac}`;
}

export type ReportFile = { readonly record: ReportRecord; readonly environment: Environment; readonly isOver: boolean };

/** The report of a file's address; null for any other text. */
export async function findReportFile(service: Service, token: string): Promise<ReportFile | null> {
  const [environmentText = "", reportText = "", endsAt = "", mac = "", ...rest] = token.split(".");
  const environment_id = decodeId("environment", environmentText);
  const id = decodeId("report", reportText);
  if (environment_id === null || id === null || rest.length > 0) return null;
  if (!service.secret.isMac(PURPOSE, signedText({ environment_id, id }, endsAt), mac)) return null;
  const [shop, record] = await Promise.all([
    findShop(service, environment_id),
    findReport(service.db.within(environment_id).orm, environment_id, id),
  ]);
  if (shop === null || record?.status !== "READY") return null;
  const isOver = Number(endsAt) * 1_000 <= service.clock.now().getTime();
  return { record, environment: shop.environment, isOver };
}

/** Days that are not over count until the report was added up, so that its file has the rows of its totals. */
export function subjectOf({
  type,
  starts_at,
  ends_at,
  updated_at,
  time_zone,
  currency,
}: Pick<ReportRecord, "type" | "starts_at" | "ends_at" | "updated_at" | "time_zone" | "currency">): ReportSubject {
  const addedUp = Math.max(Date.parse(starts_at), Date.parse(updated_at) + 1);
  return {
    type,
    from: new Date(starts_at),
    before: new Date(Math.min(Date.parse(ends_at), addedUp)),
    timeZone: time_zone,
    currency: currency ?? undefined,
  };
}

const BATCH = 20;

/**
 * Adds up the reports that are due, in every environment. Two processes may add up the same one, and the
 * first result counts. Returns the number handled.
 */
export async function prepareReports(service: Service, stopping?: AbortSignal): Promise<number> {
  const { db, log } = service;
  const due = await listPendingReports(db.orm, BATCH);
  let handled = 0;
  for (const record of due) {
    if (stopping?.aborted) break;
    const updated_at = new Date(Math.max(service.clock.now().getTime(), Date.parse(record.created_at))).toISOString();
    const end = (ended: Parameters<typeof endReport>[3]) => endReport(db.orm, record.environment_id, record.id, ended);
    try {
      const totals = await sumReportOf(db.reading.long, record.environment_id, subjectOf({ ...record, updated_at }));
      const rows = totals.reduce((sum, { rows }) => sum + rows, 0);
      await end({ status: "READY", totals, rows, updated_at });
    } catch (error) {
      // During an outage reports wait.
      if (isDatabaseUnavailable(error) && !isCanceled(error)) throw error;
      log.error({ err: error, report: encodeId("report", record.id) }, "a report could not be added up");
      const failure_reason = "The report could not be added up. Create it again.";
      await end({ status: "FAILED", failure_reason, updated_at });
    }
    handled += 1;
  }
  return handled;
}
