import {
  countMatches,
  findInvoice,
  type ListFilter,
  runOn,
  listInvoices as selectInvoices,
} from "@/db/queries/subscriptions/rows";
import type { InvoiceRow } from "@/db/schema/subscriptions";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId } from "@/lib/contract/ids";
import type { Invoice, ListInvoicesQuery } from "@/lib/contract/invoices/invoice";
import { type Context, resourceNotFound } from "../context";
import { type ListResult, presentList, readInTime, toMillisecondRange, unknownCursor } from "../lists";
import { presentInvoice } from "../subscriptions/present";

const runOf = ({ service, environment }: Context) => runOn(service.db.within(environment.id).sql);

export async function getInvoice(ctx: Context, input: { id: string }): Promise<Invoice> {
  const row = await findRow(ctx, input.id);
  if (row === null) throw resourceNotFound("invoice", input.id);
  return presentInvoice(ctx, row);
}

async function findRow(ctx: Context, publicId: string): Promise<InvoiceRow | null> {
  const id = decodeId("invoice", publicId);
  const row = id && (await findInvoice(runOf(ctx), ctx.environment.id, id));
  return row && row.event_sequence > 0 ? row : null;
}

/** The OPEN invoices of a subscription, oldest first; at most 100. */
export async function listOpenInvoices(ctx: Context, subscriptionId: string): Promise<InvoiceRow[]> {
  const page = { limit: 100, offset: 0, after: null };
  const rows = await selectInvoices(runOf(ctx), ctx.environment.id, { subscriptionId, status: "OPEN" }, page);
  return rows.toReversed();
}

/** One page of invoices, newest first. */
export async function listInvoices(ctx: Context, query: ListInvoicesQuery): Promise<ListResult<Invoice>> {
  const { limit = 20, offset = 0, starting_after, subscription_id, customer_id, status } = query;
  const after = starting_after === undefined ? null : await findRow(ctx, starting_after);
  if (starting_after !== undefined && after === null) throw unknownCursor("invoice", starting_after);
  const subscriptionId = subscription_id === undefined ? undefined : decodeId("subscription", subscription_id);
  if (subscriptionId === null) return presentList([], { hasMore: false, total: 0 }, limit, offset);
  const { gte, lt } = toMillisecondRange({ after: query.created_after, before: query.created_before });
  const filter: ListFilter = { subscriptionId, customerId: customer_id, status, from: gte, until: lt };
  const page = { limit: limit + 1, offset, after: after?.id ?? null };
  const run = runOf(ctx);
  const [rows, total] = await readInTime(query, () =>
    Promise.all([
      selectInvoices(run, ctx.environment.id, filter, page),
      countMatches(run, "invoices", ctx.environment.id, filter, TOTAL_CAP),
    ]),
  );
  const data = rows.slice(0, limit).map((row) => presentInvoice(ctx, row));
  return presentList(data, { hasMore: rows.length > limit, total }, limit, offset);
}
