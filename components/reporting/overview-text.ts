import { currencyDigits, minorToMajor } from "@/lib/contract/currencies";
import { dateText } from "@/lib/contract/format";
import type { Bucket, BucketUnit, DayRange } from "@/lib/contract/reporting/overview";
import { type Period, periodParams } from "@/lib/contract/reporting/period";
import type { FilterName, TransactionFilters } from "@/lib/contract/transactions/filters";
import { transactionsHref } from "@/lib/contract/transactions/query";
import type { Mode } from "@/lib/contract/transactions/words";

/** Noon in UTC, so that any usual zone shows the same calendar day. */
const asDate = (day: string) => new Date(`${day}T12:00:00Z`);

/** "Nov 1 – Nov 20, 2026"; a single day alone, and both years if they differ. */
export function rangeText({ from, to }: DayRange): string {
  const last = dateText(asDate(to), "UTC");
  if (from === to) return last;
  const isOneYear = from.slice(0, 4) === to.slice(0, 4);
  const first = dateText(asDate(from), "UTC", isOneYear ? { short: true, now: asDate(to) } : {});
  return `${first} – ${last}`;
}

/** Label below a bar: "Nov 1", or "Nov 2026" for a month. */
export function tickText(day: string, unit: BucketUnit): string {
  if (unit === "month") {
    return new Intl.DateTimeFormat("en-US", { timeZone: "UTC", month: "short", year: "2-digit" }).format(asDate(day));
  }
  return dateText(asDate(day), "UTC", { short: true, now: asDate(day) });
}

/** Days of a bar: "Fri, Nov 20, 2026", or the range of its week or month. */
export function bucketText(bucket: Pick<Bucket, "from" | "to">): string {
  if (bucket.from !== bucket.to) return rangeText(bucket);
  const options = { timeZone: "UTC", weekday: "short", month: "short", day: "numeric", year: "numeric" } as const;
  return new Intl.DateTimeFormat("en-US", options).format(asDate(bucket.from));
}

/** True while the days of a bar aren't over. */
export const isPartial = ({ from, to }: DayRange, today: string): boolean => from <= today && today <= to;

/**
 * Axis label: "$1.25K", "$2.50", "−$300". Short but never rounded, because the grid line is at exactly this
 * value.
 */
export function tickMoneyText(amount: number, currency: string): string {
  const major = minorToMajor(Math.abs(amount), currency);
  const isShort = major >= 1_000;
  const digits = isShort || Number.isInteger(major) ? 0 : currencyDigits(currency);
  return new Intl.NumberFormat("en-US", {
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
    notation: isShort ? "compact" : "standard",
    minimumFractionDigits: digits,
    maximumFractionDigits: isShort ? 3 : digits,
  })
    .format(Math.sign(amount) * major)
    .replace("-", "\u2212");
}

/** "93.4%"; never rounded up to 100% or down to 0%. `aligned` keeps the decimal, for columns. */
export function shareText(share: number, { aligned = false } = {}): string {
  const tenths = Math.round(share * 1_000);
  const honest = tenths === 1_000 && share < 1 ? 999 : tenths === 0 && share > 0 ? 1 : tenths;
  return `${(honest / 10).toFixed(honest % 10 === 0 && !aligned ? 0 : 1)}%`;
}

export type Trend = { direction: "up" | "down" | "same"; text: string };

/** Relative change in percent; null without a previous value to compare with. */
export function changeOf(now: number, before: number): Trend | null {
  if (now === before) return { direction: "same", text: "No change" };
  if (before <= 0 || now < 0) return null;
  const share = Math.abs(now - before) / before;
  const text = share >= 10 ? `${Math.round(share).toLocaleString("en-US")}×` : shareText(share);
  return { direction: now > before ? "up" : "down", text };
}

/** Change of a share in points: 0.9 after 0.88 is "2 pts". */
export function pointsOf(now: number, before: number): Trend {
  const tenths = Math.round((now - before) * 1_000);
  if (tenths === 0) return { direction: "same", text: "No change" };
  const points = Math.abs(tenths / 10);
  return { direction: tenths > 0 ? "up" : "down", text: `${points} ${points === 1 ? "point" : "points"}` };
}

const APPROVED = ["AUTHORIZED", "CAPTURED", "SETTLED", "VOIDED", "REFUNDED", "PARTIALLY_REFUNDED"] as const;

/**
 * Filters that list exactly the rows behind a figure. Money counts on the day of its capture or refund; an
 * attempt on the day of its creation.
 */
const COUNTED = {
  captures: { by: "captured_at", filters: { type: ["CHARGE"] } },
  refunds: { by: "captured_at", filters: { type: ["REFUND"] } },
  moved: { by: "captured_at", filters: {} },
  approved: { by: "created_at", filters: { type: ["CHARGE"], status: APPROVED } },
  declined: { by: "created_at", filters: { type: ["CHARGE"], status: ["DECLINED"] } },
  answered: { by: "created_at", filters: { type: ["CHARGE"], status: [...APPROVED, "DECLINED"] } },
} as const satisfies Record<string, { by: FilterName; filters: TransactionFilters }>;

/** Environment and currency of the overview. */
export type OverviewScope = { mode: Mode; currency: string };

/** List of the rows behind a figure; declines can be limited to some codes. */
export function countedHref(
  { mode, currency }: OverviewScope,
  figure: keyof typeof COUNTED,
  { from, to }: DayRange,
  codes: readonly string[] = [],
): string {
  const { by, filters } = COUNTED[figure];
  const decline_code = codes as TransactionFilters["decline_code"];
  return transactionsHref(mode, { ...filters, currency: [currency], decline_code, [by]: { from, to } });
}

/** Address of the overview for a period and currency; null is the merchant's default currency. */
export function overviewHref(mode: Mode, period: Period, currency: string | null): string {
  const params = new URLSearchParams(periodParams(period));
  if (currency !== null) params.set("currency", currency);
  const text = params.toString();
  return `/${mode}${text && `?${text}`}`;
}
