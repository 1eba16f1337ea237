import {
  countToCapture,
  type FoundRows,
  findExpiring,
  findFailedRefunds,
  findReversedCaptures,
  findToRespond,
  findUnknown,
  findWaitingInvoices,
} from "@/db/queries/reporting/attention";
import { type FiguresRow, getMerchantDays, listCurrencies, listFigures } from "@/db/queries/reporting/daily-totals";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { encodeIdOrNull } from "@/lib/contract/ids";
import { DECLINE_GUIDE } from "@/lib/contract/payments/decline-guide";
import type {
  AttentionItem,
  AttentionKind,
  AttentionRow,
  Bucket,
  BucketUnit,
  DayRange,
  Decline,
  Figures,
  Overview,
} from "@/lib/contract/reporting/overview";
import { addDays, addMonths, daysIn, type ResolvedPeriod } from "@/lib/contract/reporting/period";
import { dayIn } from "@/lib/contract/transactions/time-range";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import { type Context, environmentNow } from "../context";
import { searchTransactionTable } from "../transactions/read-transactions";

/** `currency`: null, or one that never occurred, selects the most used one of the period. */
type OverviewRequest = { period: (today: string) => ResolvedPeriod; currency: string | null };

/**
 * The figures of a period in one currency, by day, week or month, and those of the
 * previous period. Days start at midnight in the merchant's time zone. Precomputed
 * figures are completed with everything newer, so they are exact at any moment.
 */
export async function getOverview(ctx: Context, request: OverviewRequest): Promise<Overview> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const environmentId = ctx.environment.id;
  const merchant = await getMerchantDays(sql, environmentId);
  const dayOf = (time: Date) => dayIn(merchant.time_zone, time.getTime());
  const today = dayOf(environmentNow(ctx));
  const created = dayOf(new Date(merchant.created_at));
  const period = request.period(today);

  const known = await listCurrencies(sql, environmentId, { from: period.from ?? created, to: period.to });
  const firstDay = known.reduce((first, row) => (row.first_day < first ? row.first_day : first), created);
  const range: DayRange = { from: period.from ?? firstDay, to: period.to };
  const currency = known.find((row) => row.currency === request.currency)?.currency ?? known[0]?.currency ?? null;
  const before = period.previous && period.previous.to >= firstDay ? period.previous : null;

  const { days, declines } =
    currency === null
      ? { days: [], declines: [] }
      : await listFigures(sql, environmentId, {
          currency,
          from: before?.from ?? range.from,
          to: range.to,
          declinesFrom: range.from,
        });
  const unit = unitOf(range);
  const buckets = bucketsOf(range, unit, days);
  return {
    ...range,
    timeZone: merchant.time_zone,
    today,
    firstDay,
    currency,
    currencies: known.map((row) => row.currency),
    figures: sumFigures(within(range, days)),
    unit,
    buckets,
    previous: before && {
      ...before,
      figures: sumFigures(within(before, days)),
      buckets: bucketsBefore(before, unit, days, buckets),
    },
    declines: declines.map(
      (row): Decline => ({
        ...row,
        meaning: DECLINE_GUIDE[row.code as keyof typeof DECLINE_GUIDE]?.meaning ?? row.code,
      }),
    ),
  };
}

const RECENT_DAYS = 90;

/** The environment's currencies; the one with most captures in the last three months first. */
export async function listOwnCurrencies(ctx: Context): Promise<string[]> {
  const today = environmentNow(ctx).toISOString().slice(0, 10);
  const period = { from: addDays(today, -RECENT_DAYS), to: addDays(today, 1) };
  const rows = await listCurrencies(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, period);
  return rows.map((row) => row.currency);
}

const within = ({ from, to }: DayRange, days: readonly FiguresRow[]) =>
  days.filter((row) => row.day >= from && row.day <= to);

/**
 * The previous period, split to align with the period's own buckets; its weeks may then start on another day.
 */
function bucketsBefore(before: DayRange, unit: BucketUnit, days: readonly FiguresRow[], buckets: Bucket[]): Bucket[] {
  if (unit !== "week") return bucketsOf(before, unit, days);
  let from = before.from;
  return buckets.map((bucket) => {
    const to = addDays(from, (Date.parse(bucket.to) - Date.parse(bucket.from)) / 86_400_000);
    const cut = { from, to, figures: sumFigures(within({ from, to }, days)) };
    from = addDays(to, 1);
    return cut;
  });
}

/** Above it, bars of single days are too thin to point at. */
const MAX_DAYS_BY_DAY = 92;
const MAX_DAYS_BY_WEEK = 190;

export function unitOf(range: DayRange): BucketUnit {
  const days = daysIn(range);
  if (days <= MAX_DAYS_BY_DAY) return "day";
  return days <= MAX_DAYS_BY_WEEK ? "week" : "month";
}

const NOTHING: Figures = {
  gross: 0,
  captures: 0,
  refunded: 0,
  refunds: 0,
  refundsFailed: 0,
  fees: 0,
  net: 0,
  approved: 0,
  declined: 0,
  failed: 0,
};

/** Sums the figures of all days. */
function sumFigures(rows: readonly FiguresRow[]): Figures {
  return rows.reduce(
    (sum, row) => ({
      gross: sum.gross + row.captured,
      captures: sum.captures + row.captures,
      refunded: sum.refunded + row.refunded - row.refund_failed,
      refunds: sum.refunds + row.refunds,
      refundsFailed: sum.refundsFailed + row.refunds_failed,
      fees: sum.fees + row.fees,
      net: sum.net + row.captured - row.refunded + row.refund_failed - row.fees,
      approved: sum.approved + row.approved,
      declined: sum.declined + row.declined,
      failed: sum.failed + row.failed,
    }),
    NOTHING,
  );
}

/**
 * The range split at days, Mondays or firsts of a month;
 * buckets without figures are zero. `rows` are sorted by day.
 */
export function bucketsOf(range: DayRange, unit: BucketUnit, rows: readonly FiguresRow[]): Bucket[] {
  const buckets: Bucket[] = [];
  let next = 0;
  while (next < rows.length && (rows[next] as FiguresRow).day < range.from) next++;
  for (let from = range.from; from <= range.to; ) {
    const end = endOf(from, unit);
    const to = end < range.to ? end : range.to;
    const first = next;
    while (next < rows.length && (rows[next] as FiguresRow).day <= to) next++;
    buckets.push({ from, to, figures: sumFigures(rows.slice(first, next)) });
    from = addDays(to, 1);
  }
  return buckets;
}

/** Last day of the unit that contains a day. */
function endOf(day: string, unit: BucketUnit): string {
  switch (unit) {
    case "day":
      return day;
    case "week":
      return addDays(day, (7 - new Date(`${day}T00:00:00Z`).getUTCDay()) % 7);
    case "month":
      return addDays(addMonths(`${day.slice(0, 8)}01`, 1), -1);
    default:
      return unit satisfies never;
  }
}

const LATEST = 8;

/** The newest transactions of every currency. */
export async function listLatest(ctx: Context): Promise<ListedTransaction[]> {
  const { data } = await searchTransactionTable(ctx, {
    filters: {},
    sort: { field: "created_at", order: "desc" },
    limit: LATEST,
    offset: 0,
  });
  return data;
}

/** The list behind the count has the others. */
const ROWS = 5;

/**
 * Items that need attention: disputes to respond to, unknown outcomes, refunds that failed and captures that
 * were reversed within 30 days, open invoices without a planned attempt, authorizations that expire within
 * 24 hours, and uncaptured payments. Empty kinds are omitted; each has its full count and its most urgent rows.
 */
export async function listAttention(ctx: Context): Promise<AttentionItem[]> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const [disputed, unknown, failed, reversed, waiting, expiring, held] = await Promise.all([
    findToRespond(sql, ctx.environment.id, { limit: ROWS }),
    findUnknown(sql, ctx.environment.id, { limit: ROWS }),
    findFailedRefunds(sql, ctx.environment.id, { limit: ROWS }),
    findReversedCaptures(sql, ctx.environment.id, { limit: ROWS }),
    findWaitingInvoices(sql, ctx.environment.id, { limit: ROWS }),
    findExpiring(sql, ctx.environment.id, { limit: ROWS }),
    countToCapture(sql, ctx.environment.id, TOTAL_CAP + 1),
  ]);
  return [
    item("dispute", disputed),
    item("unknown_outcome", unknown),
    item("failed_refund", failed),
    item("capture_reversed", reversed),
    item("waiting_invoice", waiting),
    item("expiring", expiring),
    item("to_capture", { count: held, rows: [] }),
  ].filter(({ count }) => count > 0);
}

type Row = Pick<AttentionRow, "amount" | "currency" | "at"> & {
  payment_id?: string;
  transaction_id?: string;
  invoice_id?: string;
  dispute_id?: string;
  kind?: NonNullable<AttentionRow["doing"]>;
};

function item(kind: AttentionKind, { count, rows }: FoundRows<Row>): AttentionItem {
  return {
    kind,
    count,
    rows: rows.map((row) => ({
      paymentId: encodeIdOrNull("payment", row.payment_id ?? null),
      transactionId: encodeIdOrNull("transaction", row.transaction_id ?? null),
      invoiceId: encodeIdOrNull("invoice", row.invoice_id ?? null),
      disputeId: encodeIdOrNull("dispute", row.dispute_id ?? null),
      doing: row.kind ?? null,
      amount: row.amount,
      currency: row.currency,
      at: row.at,
    })),
  };
}
