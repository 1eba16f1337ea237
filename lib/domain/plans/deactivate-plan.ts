import type { Plan } from "@/lib/contract/plans/plan";
import type { Context } from "../context";
import { changePlan } from "./change-plan";

/** Ends new use of a plan. An inactive plan stays as it is; a draft is refused (`invalid_state`). */
export function deactivatePlan(ctx: Context, input: { id: string }): Promise<Plan> {
  return changePlan(ctx, input.id, () => ({ status: "INACTIVE" }));
}
