import { countDisputes, type DisputeFilter, findDispute, listDisputes as selectDisputes } from "@/db/queries/disputes";
import type { DisputeRow } from "@/db/schema/disputes";
import type { Dispute, ListDisputesQuery } from "@/lib/contract/disputes/dispute";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId } from "@/lib/contract/ids";
import { type Context, resourceNotFound } from "../context";
import { type ListResult, presentList, readInTime, toMillisecondRange, unknownCursor } from "../lists";
import { presentDispute } from "./record-dispute";

export async function getDispute(ctx: Context, input: { id: string }): Promise<Dispute> {
  const row = await findRow(ctx, input.id);
  if (row === null) throw resourceNotFound("dispute", input.id);
  return presentDispute(row, ctx.environment.mode);
}

async function findRow({ service, environment }: Context, publicId: string): Promise<DisputeRow | null> {
  const id = decodeId("dispute", publicId);
  return id === null ? null : findDispute(service.db.within(environment.id).orm, environment.id, id);
}

/** One page of disputes, the latest that Cardlane learned of first. */
export async function listDisputes(ctx: Context, query: ListDisputesQuery): Promise<ListResult<Dispute>> {
  const { limit = 20, offset = 0, starting_after } = query;
  const after = starting_after === undefined ? null : await findRow(ctx, starting_after);
  if (starting_after !== undefined && after === null) throw unknownCursor("dispute", starting_after);
  const filter = filterOf(query);
  if (filter === null) return presentList([], { hasMore: false, total: 0 }, limit, offset);
  const { id: environmentId, mode } = ctx.environment;
  const { orm } = ctx.service.db.within(environmentId);
  const page = { limit: limit + 1, offset, after: after?.id ?? null };
  const [rows, total] = await readInTime(query, () =>
    Promise.all([
      selectDisputes(orm, environmentId, filter, page),
      countDisputes(orm, environmentId, filter, TOTAL_CAP),
    ]),
  );
  const data = rows.slice(0, limit).map((row) => presentDispute(row, mode));
  return presentList(data, { hasMore: rows.length > limit, total }, limit, offset);
}

/** Null if nothing can match. */
function filterOf({ payment_id, customer_id, status, reason, ...query }: ListDisputesQuery): DisputeFilter | null {
  const paymentId = payment_id === undefined ? undefined : decodeId("payment", payment_id);
  if (paymentId === null) return null;
  const { gte, lt } = toMillisecondRange({ after: query.respond_by_after, before: query.respond_by_before });
  return {
    status: status && [status],
    reason: reason && [reason],
    customerId: customer_id,
    paymentId,
    respondByFrom: gte,
    respondByUntil: lt,
  };
}
