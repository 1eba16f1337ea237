import {
  findBilled,
  type InvoiceSearch,
  openInvoiceExport,
  searchInvoices,
  sumInvoices,
} from "@/db/queries/invoices/search";
import { readInvoices } from "@/db/queries/subscriptions/rows";
import type { InvoiceRow } from "@/db/schema/subscriptions";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId } from "@/lib/contract/ids";
import type { InvoiceQuery, ListedInvoice, ListedInvoices } from "@/lib/contract/invoices/list";
import { resolveTimes } from "@/lib/contract/transactions/time-range";
import { type Context, environmentNow } from "../context";
import { cursorPageOf, openWhole } from "../cursor-list";
import { findCustomerNames } from "../customers/customers";
import { readInTime, toMillisecondRange } from "../lists";
import { presentInvoice } from "../subscriptions/present";

const NOTHING: ListedInvoices = {
  data: [],
  has_before: false,
  has_after: false,
  total: 0,
  total_capped: false,
  sums: [],
};

/** A page of the dashboard's list, with the amounts of all of it. Days are in `timeZone`. */
export async function searchInvoiceTable(ctx: Context, query: InvoiceQuery, timeZone: string): Promise<ListedInvoices> {
  const search = searchOf(ctx, query, timeZone);
  const page = cursorPageOf(query, "invoice");
  if (search === null || page === null) return NOTHING;
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const [found, sums] = await readInTime(query, () =>
    Promise.all([
      searchInvoices(sql, ctx.environment.id, search, page),
      sumInvoices(sql, ctx.environment.id, search, TOTAL_CAP),
    ]),
  );
  const total = sums.reduce((all, { count }) => all + count, 0);
  return {
    data: await listed(ctx, found.rows),
    has_before: found.hasBefore,
    has_after: found.hasAfter,
    total: Math.min(total, TOTAL_CAP),
    total_capped: total > TOTAL_CAP,
    sums: sums.map(({ count: _, ...sum }) => sum),
  };
}

/** Everything that the query matches, in one snapshot. `close` must be called. */
export const exportInvoices = (ctx: Context, query: InvoiceQuery, timeZone: string) =>
  openWhole(ctx, searchOf(ctx, query, timeZone), openInvoiceExport, (rows) => listed(ctx, readInvoices(rows)));

const NUMBER = /^(?:inv-)?0*(\d{1,9})$/i;

/** The query's conditions; null if nothing can match. */
function searchOf(ctx: Context, query: InvoiceQuery, timeZone: string): InvoiceSearch | null {
  const { q, customer_id, status = [], kind = [], currency = [], payment = [], created_at, sort } = query;
  const words = q?.trim() ?? "";
  const id = words.startsWith("inv_") ? (decodeId("invoice", words) ?? undefined) : undefined;
  const subscription = query.subscription_id ?? (words.startsWith("sub_") ? words : undefined);
  const subscriptionId = subscription === undefined ? undefined : decodeId("subscription", subscription);
  if (subscriptionId === null) return null;
  const isId = id !== undefined || subscription === words;
  const number = isId ? undefined : NUMBER.exec(words)?.[1];
  const isNumber = number !== undefined && /^inv-/i.test(words);
  return {
    statuses: status,
    kinds: kind,
    currencies: currency,
    payments: payment,
    subscriptionId,
    customerId: customer_id,
    id,
    number: number === undefined ? undefined : Number(number),
    words: isId || isNumber || words === "" ? undefined : words,
    created:
      created_at === undefined
        ? {}
        : toMillisecondRange(resolveTimes(created_at, timeZone, environmentNow(ctx).getTime())),
    sort,
  };
}

async function listed(ctx: Context, rows: readonly InvoiceRow[]): Promise<ListedInvoice[]> {
  const { id } = ctx.environment;
  const subscriptions = [...new Set(rows.map(({ subscription_id }) => subscription_id))];
  const [billed, names] = await Promise.all([
    findBilled(ctx.service.db.within(id).sql, id, subscriptions),
    findCustomerNames(
      ctx,
      rows.map(({ customer_id }) => ({ customer_id, customer_email: null })),
    ),
  ]);
  return rows.map((row, n) => {
    const { customer_email = null, plan_name = "" } = billed.find((one) => one.id === row.subscription_id) ?? {};
    return { ...presentInvoice(ctx, row), customer_name: names[n] ?? null, customer_email, plan_name };
  });
}
