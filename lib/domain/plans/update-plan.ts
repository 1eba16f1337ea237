import type { Plan, UpdatePlanBody } from "@/lib/contract/plans/plan";
import { FIXED_WHILE_ACTIVE } from "@/lib/contract/plans/plan";
import type { Context } from "../context";
import { changePlan } from "./change-plan";
import { checkPlan, invalidPlanState } from "./plan-rules";
import { presentPlan } from "./present-plan";

/** Changes what is sent; the plan must fit together afterwards. */
export function updatePlan(ctx: Context, input: UpdatePlanBody & { id: string }): Promise<Plan> {
  const { id: publicId, ...body } = input;
  return changePlan(ctx, publicId, (row) => {
    const { id, object, environment, created_at, updated_at, ...current } = presentPlan(row, ctx.environment.mode);
    const fixed = FIXED_WHILE_ACTIVE.filter((field) => body[field] !== undefined && body[field] !== current[field]);
    if (row.status === "ACTIVE" && fixed.length > 0) {
      throw invalidPlanState(
        row.status,
        `The ${fixed.join(", ")} of an ACTIVE plan cannot change. Deactivate this plan first, or create another one.`,
      );
    }
    const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    return checkPlan({ ...current, ...sent });
  });
}
