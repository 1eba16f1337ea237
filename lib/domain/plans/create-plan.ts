import { insertPlan } from "@/db/queries/plans";
import type { CreatePlanBody } from "@/lib/contract/plans/plan";
import { idTime, newId } from "@/lib/ids";
import type { Context, Reply } from "../context";
import { recordChange } from "../events/event";
import { runOnce } from "../idempotency/run-once";
import { checkPlan, nameTaken } from "./plan-rules";
import { presentPlan } from "./present-plan";

/** Creates a plan. Answers the plan; refuses what does not fit together, and a name that is taken. */
export function createPlan(ctx: Context, input: CreatePlanBody): Promise<Reply> {
  return runOnce(ctx, { status: 201 }, async (tx) => {
    const values = checkPlan(input);
    const id = newId();
    const created_at = idTime(id);
    const row = await insertPlan(tx, ctx.environment.id, { id, ...values, created_at, updated_at: created_at });
    if (row === null) throw nameTaken(input.name);
    const plan = presentPlan(row, ctx.environment.mode);
    await recordChange(ctx, tx, {
      type: "subscription_plan.created",
      action: "plan.created",
      objectId: id,
      data: { object: plan, previous: null },
    });
    return plan;
  });
}
