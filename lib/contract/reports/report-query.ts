/** The address of the reports page and of its export, without zod. */
import type { QueryProblem } from "@/lib/contract/lists/address";
import {
  DATE_PRESETS,
  type DatePreset,
  formatTimes,
  parseTimes,
  presetDays,
  type TimeRange,
} from "@/lib/contract/transactions/time-range";
import { isReportType, REPORT_TYPES, type ReportType } from "./report-types";

/** Ranges of days that bookkeeping uses. */
export const REPORT_PRESETS = [
  "last-month",
  "this-month",
  "last-week",
  "yesterday",
  "this-year",
] as const satisfies readonly DatePreset[];
const DEFAULT_PRESET: DatePreset = "last-month";

export type ReportQuery = { type: ReportType; created: TimeRange; currency: string | null };

/** An invalid value is reported and replaced by its default. */
export function parseReport(params: Iterable<readonly [string, string]>): {
  query: ReportQuery;
  problems: QueryProblem[];
} {
  const query: ReportQuery = { type: REPORT_TYPES[0], created: { preset: DEFAULT_PRESET }, currency: null };
  const problems: QueryProblem[] = [];
  const given = new Map(params);
  const { from, to } = { from: given.get("from"), to: given.get("to") };
  // The page's form sends its two days separately.
  if (from !== undefined || to !== undefined) given.set("created", `${from ?? ""}..${to ?? ""}`);
  for (const [param, value] of given) {
    if (param === "from" || param === "to") continue;
    if (param === "type" && isReportType(value)) query.type = value;
    else if (param === "currency" && /^[A-Z]{3}$/.test(value)) query.currency = value;
    else if (param === "created" && isDays(parseTimes(value))) query.created = parseTimes(value) as TimeRange;
    else problems.push({ param, value, message: MESSAGES[param] ?? `Reports have no parameter '${param}'.` });
  }
  return { query, problems };
}

const MESSAGES: Readonly<Record<string, string>> = {
  type: `Use ${REPORT_TYPES.join(", ")}.`,
  currency: "Use a three-letter ISO 4217 code in capitals, such as USD.",
  created: `Use ${Object.keys(DATE_PRESETS).join(", ")}, or two days such as 2026-11-01..2026-11-30.`,
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const isDays = (range: TimeRange | null): boolean =>
  range !== null && ("preset" in range || [range.from, range.to].every((end) => end !== null && DAY.test(end)));

/** First and last day, both inclusive. */
export function reportDays({ created }: ReportQuery, timeZone: string, now: number): { from: string; to: string } {
  if ("preset" in created) return presetDays(created.preset, timeZone, now);
  return { from: created.from as string, to: created.to as string };
}

/** The address with this query; defaults are omitted. */
export function reportHref(path: string, { type, created, currency }: ReportQuery): string {
  const isDefault = "preset" in created && created.preset === DEFAULT_PRESET;
  const search = new URLSearchParams({
    ...(type !== REPORT_TYPES[0] && { type }),
    ...(!isDefault && { created: formatTimes(created) }),
    ...(currency !== null && { currency }),
  }).toString();
  return search ? `${path}?${search}` : path;
}
