import { lockPlan, type PlanValues, updatePlan } from "@/db/queries/plans";
import type { PlanRow } from "@/db/schema/plans";
import { decodeId } from "@/lib/contract/ids";
import type { Plan } from "@/lib/contract/plans/plan";
import type { Context } from "../context";
import { changedMembers, recordChange } from "../events/event";
import { resourceNotFound } from "../resource-not-found";
import { checkStatusChange, nameTaken } from "./plan-rules";
import { presentPlan } from "./present-plan";

/**
 * Locks a plan, asks what it should become, and writes what is different. Nothing different: nothing is written, not even
 * `updated_at`.
 */
export function changePlan(
  ctx: Context,
  publicId: string,
  decide: (row: PlanRow) => Partial<PlanValues>,
): Promise<Plan> {
  const id = decodeId("plan", publicId);
  return ctx.service.db.within(ctx.environment.id).orm.transaction(async (tx) => {
    const row = id === null ? null : await lockPlan(tx, ctx.environment.id, id);
    if (row === null) throw resourceNotFound("plan", publicId);
    const changes = differences(row, decide(row));
    if (changes.status !== undefined) checkStatusChange(row.status, changes.status);
    if (Object.keys(changes).length === 0) return presentPlan(row, ctx.environment.mode);

    const updated_at = ctx.service.clock.now().toISOString();
    const changed = await updatePlan(tx, ctx.environment.id, row.id, { ...changes, updated_at });
    if (changed === null) throw nameTaken(changes.name ?? row.name);
    const plan = presentPlan(changed, ctx.environment.mode);
    const data = { object: plan, previous: changedMembers(presentPlan(row, ctx.environment.mode), plan) };
    for (const what of whatHappened(changes)) {
      const names = { type: `subscription_plan.${what}`, action: `plan.${what}` } as const;
      await recordChange(ctx, tx, { ...names, objectId: row.id, data });
    }
    return plan;
  });
}

function differences(row: PlanRow, wanted: Partial<PlanValues>): Partial<PlanValues> {
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => row[key as keyof PlanValues] !== value));
}

function whatHappened({ status, ...others }: Partial<PlanValues>): ("updated" | "activated" | "deactivated")[] {
  const names: ReturnType<typeof whatHappened> = Object.keys(others).length > 0 ? ["updated"] : [];
  if (status === "ACTIVE") names.push("activated");
  if (status === "INACTIVE") names.push("deactivated");
  return names;
}
