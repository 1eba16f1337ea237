import { findUser } from "@/db/queries/accounts/users";
import { getMerchantDays } from "@/db/queries/reporting/daily-totals";
import {
  type DueReportMail,
  deleteReportMail,
  listDueReportMails,
  listReportMails,
  moveReportMail,
  storeReportMail,
} from "@/db/queries/reports/report-mails";
import { isCanceled } from "@/db/refusals";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { AppError } from "@/lib/contract/errors";
import { dayText, moneyText } from "@/lib/contract/format";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { ROLE_PERMISSIONS } from "@/lib/contract/permissions";
import { addDays, addMonths } from "@/lib/contract/reporting/period";
import { reportHref } from "@/lib/contract/reports/report-query";
import {
  isReportType,
  REPORT_WORDS,
  type ReportInterval,
  type ReportTotals,
  type ReportType,
  totalColumns,
} from "@/lib/contract/reports/report-types";
import { dayInstants, presetDays } from "@/lib/contract/transactions/time-range";
import { writeMail } from "../accounts/mail";
import { type Context, environmentNow, type Service } from "../context";
import { sumReportOf } from "./read-report";

/** Returns how often the user gets the report by mail; null means never. */
export async function findReportMail(ctx: Context, userId: string, type: ReportType): Promise<ReportInterval | null> {
  const { id } = ctx.environment;
  const rows = await listReportMails(ctx.service.db.within(id).orm, id, userId);
  return rows.find((row) => row.type === type)?.every ?? null;
}

type Choice = { userId: string; type: ReportType; every: ReportInterval | null };

/** Throws `invalid_state` if the user has not confirmed the e-mail address: it may be someone else's mailbox. */
export async function updateReportMail(ctx: Context, { userId, type, every }: Choice): Promise<void> {
  const { id } = ctx.environment;
  const { orm, sql } = ctx.service.db.within(id);
  const key = { environment_id: id, user_id: userId, type };
  if (every === null) return deleteReportMail(orm, key);
  const user = await findUser(ctx.service.db.orm, userId);
  if (!user?.owns_email)
    throw new AppError("invalid_state", "Confirm your e-mail address first, under Settings → Your account.");
  const { time_zone } = await getMerchantDays(sql, id);
  await storeReportMail(orm, { ...key, every, due_at: dueAfter(every, time_zone, environmentNow(ctx).getTime()) });
}

const STOPPING = "report-mail";

type MailKey = Pick<DueReportMail, "environment_id" | "user_id" | "type">;

const signedText = ({ environment_id, user_id, type }: MailKey) => `${environment_id} ${user_id} ${type}`;

/** Address of the page that stops a report's mails. It needs no sign-in, does nothing else, and doesn't expire. */
function stopUrl({ baseUrl, secret }: Pick<Service, "baseUrl" | "secret">, key: MailKey): string {
  const parts = [encodeId("environment", key.environment_id), encodeId("user", key.user_id), key.type];
  return `${baseUrl}/stop-report-mails/${[...parts, secret.mac(STOPPING, signedText(key))].join(".")}`;
}

/** The mails that an address stops; null for any other text. */
export function mailsOfLink({ secret }: Pick<Service, "secret">, token: string): MailKey | null {
  const [environmentText = "", userText = "", type = "", mac = "", ...rest] = token.split(".");
  const environment_id = decodeId("environment", environmentText);
  const user_id = decodeId("user", userText);
  if (environment_id === null || user_id === null || !isReportType(type) || rest.length > 0) return null;
  const key = { environment_id, user_id, type };
  return secret.isMac(STOPPING, signedText(key), mac) ? key : null;
}

/** Stops a report's mails with the link in one of them; a repeat changes nothing. */
export async function stopReportMail(
  service: Pick<Service, "db" | "secret">,
  token: string,
): Promise<{ type: ReportType }> {
  const key = mailsOfLink(service, token);
  if (key === null) throw new AppError("resource_not_found", "This link is not complete. Open it from the mail.");
  await deleteReportMail(service.db.within(key.environment_id).orm, key);
  return { type: key.type };
}

/** Time after a period's end until its mail, so that what was booked in its last moments is in it. */
const MARGIN_MS = 60 * 60_000;

/** The last week, from Monday to Sunday, or calendar month that was over. */
const daysBefore = (every: ReportInterval, timeZone: string, now: number) =>
  presetDays(every === "WEEK" ? "last-week" : "last-month", timeZone, now);

/** When the mail about the current week or month is due. */
function dueAfter(every: ReportInterval, timeZone: string, now: number): string {
  const { from, to } = daysBefore(every, timeZone, now);
  const last = every === "WEEK" ? addDays(to, 7) : addDays(addMonths(from, 2), -1);
  return new Date(dayInstants({ from: last, to: last }, timeZone).before.getTime() + MARGIN_MS).toISOString();
}

const BATCH = 50;

/**
 * Job that mails the reports that are due. A mail is written in the commit that moves its row to the next
 * period, so that each is sent once. After a jump of the clock, only the last period is mailed. Returns the
 * number handled.
 */
export async function mailReports(
  service: Pick<Service, "db" | "baseUrl" | "log" | "secret">,
  stopping?: AbortSignal,
): Promise<number> {
  const { db, log } = service;
  const due = await listDueReportMails(db.sql, BATCH);
  for (const mail of due) {
    if (stopping?.aborted) break;
    try {
      await mailReport(service, mail);
    } catch (error) {
      if (isDatabaseUnavailable(error) && !isCanceled(error)) throw error;
      log.error({ err: error, environment_id: mail.environment_id, type: mail.type }, "a report could not be mailed");
      await moveReportMail(db.orm, mail, new Date(Date.parse(mail.now) + MARGIN_MS).toISOString());
    }
  }
  return due.length;
}

async function mailReport(service: Pick<Service, "db" | "baseUrl" | "secret">, due: DueReportMail): Promise<void> {
  const { db, baseUrl } = service;
  const { environment_id, user_id, type, every, mode, time_zone: timeZone } = due;
  const user = await findUser(db.orm, user_id);
  // The role may have changed since.
  if (!user?.owns_email || !ROLE_PERMISSIONS[user.role].includes("report.read")) return deleteReportMail(db.orm, due);
  const now = Date.parse(due.now);
  const days = daysBefore(every, timeZone, now);
  const subject = { type, ...dayInstants(days, timeZone), timeZone, currency: undefined };
  const totals = await sumReportOf(db.reading.long, environment_id, subject);
  const { label } = REPORT_WORDS[type];
  const range = `${dayText(days.from)} – ${dayText(days.to)}`;
  const place = mode === "test" ? " in test mode" : "";
  const path = reportHref(`/${mode}/reports`, { type, created: days, currency: null });
  await db.orm.transaction(async (tx) => {
    if (!(await moveReportMail(tx, due, dueAfter(every, timeZone, now)))) return;
    await writeMail(tx, {
      recipient: user.email,
      subject: `${label}${place}, ${range}`,
      paragraphs: [
        `${label}${place}, ${range}. Days are in ${timeZone}.`,
        totals.length === 0 ? "Nothing in these days." : totals.map((each) => totalsText(type, each)).join("\n"),
        "The whole report, to read or to save as a file:",
        `${baseUrl}${path}`,
        `You chose to get this report each ${every.toLowerCase()}. To stop it, without signing in:`,
        stopUrl(service, due),
      ],
    });
  });
}

function totalsText(type: ReportType, { currency, amounts }: ReportTotals): string {
  const figures = totalColumns(type).map(({ name, heading, kind }) => {
    const amount = amounts[name] ?? 0;
    return `${heading} ${kind === "amount" ? moneyText(amount, currency) : amount.toLocaleString("en-US")}`;
  });
  return `${currency}: ${figures.join(", ")}`;
}
