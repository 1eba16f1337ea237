import { findPlan } from "@/db/queries/plans";
import { decodeId } from "@/lib/contract/ids";
import type { Plan } from "@/lib/contract/plans/plan";
import type { Context } from "../context";
import { resourceNotFound } from "../resource-not-found";
import { presentPlan } from "./present-plan";

export async function getPlan(ctx: Context, input: { id: string }): Promise<Plan> {
  const id = decodeId("plan", input.id);
  const row =
    id === null ? null : await findPlan(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, id);
  if (row === null) throw resourceNotFound("plan", input.id);
  return presentPlan(row, ctx.environment.mode);
}
