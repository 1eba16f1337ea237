import {
  countMatches,
  findNextActions,
  findSubscription,
  type ListFilter,
  runOn,
  listSubscriptions as selectSubscriptions,
} from "@/db/queries/subscriptions/rows";
import type { SubscriptionRow } from "@/db/schema/subscriptions";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId } from "@/lib/contract/ids";
import type { ListSubscriptionsQuery, Subscription } from "@/lib/contract/subscriptions/subscription";
import { type Context, resourceNotFound } from "../context";
import { type ListResult, presentList, readInTime, toMillisecondRange, unknownCursor } from "../lists";
import { payInvoiceAction, presentSubscription } from "./present";

const sqlOf = ({ service, environment }: Context) => service.db.within(environment.id).sql;

export async function getSubscription(ctx: Context, input: { id: string }): Promise<Subscription> {
  const row = await findRow(ctx, input.id);
  if (row === null) throw resourceNotFound("subscription", input.id);
  const [shown] = await present(ctx, [row]);
  if (!shown) throw new Error(`subscription ${row.id} is not shown`);
  return shown;
}

async function findRow(ctx: Context, publicId: string): Promise<SubscriptionRow | null> {
  const id = decodeId("subscription", publicId);
  const row = id && (await findSubscription(runOn(sqlOf(ctx)), ctx.environment.id, id));
  return row && row.event_sequence > 0 ? row : null;
}

async function present(ctx: Context, rows: readonly SubscriptionRow[]): Promise<Subscription[]> {
  const ids = rows.map(({ id }) => id);
  const actions = await findNextActions(sqlOf(ctx), ctx.environment.id, ids);
  return rows.map((row) => {
    const action = actions.get(row.id);
    const shown = action === "pay" ? payInvoiceAction(ctx, row) : (action ?? null);
    return presentSubscription(row, ctx.environment.mode, shown);
  });
}

/** One page of subscriptions, newest first. */
export async function listSubscriptions(
  ctx: Context,
  query: ListSubscriptionsQuery,
): Promise<ListResult<Subscription>> {
  const { limit = 20, offset = 0, starting_after, plan_id, customer_id, status } = query;
  const after = starting_after === undefined ? null : await findRow(ctx, starting_after);
  if (starting_after !== undefined && after === null) throw unknownCursor("subscription", starting_after);
  const planId = plan_id === undefined ? undefined : decodeId("plan", plan_id);
  if (planId === null) return presentList([], { hasMore: false, total: 0 }, limit, offset);
  const { gte, lt } = toMillisecondRange({ after: query.created_after, before: query.created_before });
  const filter: ListFilter = { planId, customerId: customer_id, status, from: gte, until: lt };
  const page = { limit: limit + 1, offset, after: after?.id ?? null };
  const run = runOn(sqlOf(ctx));
  const [rows, total] = await readInTime(query, () =>
    Promise.all([
      selectSubscriptions(run, ctx.environment.id, filter, page),
      countMatches(run, "subscriptions", ctx.environment.id, filter, TOTAL_CAP),
    ]),
  );
  return presentList(await present(ctx, rows.slice(0, limit)), { hasMore: rows.length > limit, total }, limit, offset);
}
