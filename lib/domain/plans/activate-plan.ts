import type { Plan } from "@/lib/contract/plans/plan";
import type { Context } from "../context";
import { changePlan } from "./change-plan";

/** Makes a plan usable. An active plan stays as it is. */
export function activatePlan(ctx: Context, input: { id: string }): Promise<Plan> {
  return changePlan(ctx, input.id, () => ({ status: "ACTIVE" }));
}
