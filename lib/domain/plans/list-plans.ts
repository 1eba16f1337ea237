import type { z } from "zod";
import { countPlans, findPlan, listPlans as selectPlans } from "@/db/queries/plans";
import { AppError } from "@/lib/contract/errors";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId } from "@/lib/contract/ids";
import type { ListPlansQuery, planList } from "@/lib/contract/plans/plan";
import type { Context } from "../context";
import { presentPlan } from "./present-plan";

/** One page of plans, newest first. */
export async function listPlans(ctx: Context, input: ListPlansQuery): Promise<z.infer<typeof planList>> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const limit = input.limit ?? 20;
  const offset = input.offset ?? 0;
  const filter = { status: input.status, type: input.type };
  const after = input.starting_after === undefined ? null : await startingAfter(ctx, input.starting_after);
  const [rows, count] = await Promise.all([
    selectPlans(orm, ctx.environment.id, filter, { limit: limit + 1, offset, after }),
    countPlans(orm, ctx.environment.id, filter, TOTAL_CAP),
  ]);
  return {
    object: "list",
    data: rows.slice(0, limit).map((row) => presentPlan(row, ctx.environment.mode)),
    limit,
    offset,
    has_more: rows.length > limit,
    total: Math.min(count, TOTAL_CAP),
    total_capped: count > TOTAL_CAP,
  };
}

async function startingAfter(ctx: Context, given: string): Promise<string> {
  const id = decodeId("plan", given);
  const row =
    id === null ? null : await findPlan(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, id);
  if (row === null) {
    const message = `There is no plan '${given}' in this environment to start after.`;
    throw new AppError("invalid_parameter", message, {
      errors: [{ param: "starting_after", code: "invalid_parameter", message }],
    });
  }
  return row.id;
}
