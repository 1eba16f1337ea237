import { readSubscriptions } from "@/db/queries/subscriptions/rows";
import {
  countByStatus,
  countSubscriptions,
  findCards,
  findUnpaid,
  openSubscriptionExport,
  type SubscriptionSearch,
  searchSubscriptions,
} from "@/db/queries/subscriptions/search";
import type { SubscriptionRow } from "@/db/schema/subscriptions";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { ListedSubscription, ListedSubscriptions, SubscriptionQuery } from "@/lib/contract/subscriptions/list";
import type { SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";
import { resolveTimes, type TimeRange } from "@/lib/contract/transactions/time-range";
import { type Context, environmentNow } from "../context";
import { cursorPageOf, openWhole } from "../cursor-list";
import { findCustomerNames } from "../customers/customers";
import { readInTime, toMillisecondRange } from "../lists";
import { invoiceNumber, presentSubscription } from "./present";

const NOTHING: ListedSubscriptions = { data: [], has_before: false, has_after: false, total: 0, total_capped: false };

/** A page of the dashboard's list. Days are in `timeZone`. */
export async function searchSubscriptionTable(
  ctx: Context,
  query: SubscriptionQuery,
  timeZone: string,
): Promise<ListedSubscriptions> {
  const search = searchOf(ctx, query, timeZone);
  const page = cursorPageOf(query, "subscription");
  if (search === null || page === null) return NOTHING;
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const [found, total] = await readInTime(query, () =>
    Promise.all([
      searchSubscriptions(sql, ctx.environment.id, search, page),
      countSubscriptions(sql, ctx.environment.id, search, TOTAL_CAP),
    ]),
  );
  return {
    data: await listed(ctx, found.rows),
    has_before: found.hasBefore,
    has_after: found.hasAfter,
    total: Math.min(total, TOTAL_CAP),
    total_capped: total > TOTAL_CAP,
  };
}

/** Everything that the query matches, in one snapshot. `close` must be called. */
export const exportSubscriptions = (ctx: Context, query: SubscriptionQuery, timeZone: string) =>
  openWhole(ctx, searchOf(ctx, query, timeZone), openSubscriptionExport, (rows) =>
    listed(ctx, readSubscriptions(rows)),
  );

/** The query's conditions; null if nothing can match. */
function searchOf(ctx: Context, query: SubscriptionQuery, timeZone: string): SubscriptionSearch | null {
  const { q, plan_id, customer_id, status = [], currency = [], stage = [], created_at, ended_at, sort } = query;
  const planId = plan_id === undefined ? undefined : decodeId("plan", plan_id);
  if (planId === null) return null;
  const words = q?.trim();
  const id = words?.startsWith("sub_") ? (decodeId("subscription", words) ?? undefined) : undefined;
  const now = environmentNow(ctx).getTime();
  const within = (times: TimeRange | undefined) =>
    times === undefined ? {} : toMillisecondRange(resolveTimes(times, timeZone, now));
  return {
    statuses: status,
    currencies: currency,
    stages: stage,
    planId,
    customerId: customer_id,
    id,
    words: id === undefined && words ? words : undefined,
    created: within(created_at),
    ended: within(ended_at),
    sort,
  };
}

async function listed(ctx: Context, rows: readonly SubscriptionRow[]): Promise<ListedSubscription[]> {
  const { id, mode } = ctx.environment;
  const { sql } = ctx.service.db.within(id);
  const [cards, unpaid, names] = await Promise.all([
    findCards(sql, id, [...new Set(rows.flatMap(({ payment_method_id }) => payment_method_id ?? []))]),
    findUnpaid(
      sql,
      id,
      rows.map((row) => row.id),
    ),
    findCustomerNames(ctx, rows),
  ]);
  return rows.map((row, n) => {
    const card = cards.find((one) => one.id === row.payment_method_id);
    const invoice = unpaid.find(({ subscription_id }) => subscription_id === row.id);
    return {
      ...presentSubscription(row, mode, null),
      customer_name: names[n] ?? null,
      card: card ? { brand: card.brand, last4: card.last4 } : null,
      unpaid: invoice
        ? {
            id: encodeId("invoice", invoice.id),
            number: invoice.number === null ? null : invoiceNumber(invoice.number),
            amount_due: invoice.amount_due,
            attempts: invoice.attempts,
            next_attempt_at: invoice.next_attempt_at,
          }
        : null,
    };
  });
}

/** Number of a plan's subscriptions by status. */
export async function countSubscribers(ctx: Context, planId: string): Promise<Map<SubscriptionStatus, number>> {
  const id = decodeId("plan", planId);
  if (id === null) return new Map();
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const counts = await countByStatus(sql, ctx.environment.id, id);
  return new Map(counts.map(({ status, count }) => [status, count]));
}
