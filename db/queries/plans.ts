import { and, desc, eq, inArray, lt } from "drizzle-orm";
import type { PlanStatus, PlanType } from "@/lib/contract/plans/plan";
import type { Orm } from "../client";
import { isTaken } from "../refusals";
import { type PlanRow, plans } from "../schema/plans";
import { countUpTo } from "./statement-text";

export type PlanValues = Omit<PlanRow, "environment_id" | "id" | "created_at" | "updated_at">;

/** Null if the environment already has a plan of that name. */
export async function insertPlan(
  orm: Orm,
  environmentId: string,
  plan: Omit<PlanRow, "environment_id">,
): Promise<PlanRow | null> {
  const rows = await orm
    .insert(plans)
    .values({ environment_id: environmentId, ...plan })
    .onConflictDoNothing({ target: [plans.environment_id, plans.name] })
    .returning();
  return rows[0] ?? null;
}

const byId = (environmentId: string, id: string) => and(eq(plans.environment_id, environmentId), eq(plans.id, id));

export async function findPlan(orm: Orm, environmentId: string, id: string): Promise<PlanRow | null> {
  const rows = await orm.select().from(plans).where(byId(environmentId, id));
  return rows[0] ?? null;
}

/** The existing plans among the given ids. */
export async function findPlans(orm: Orm, environmentId: string, ids: readonly string[]): Promise<PlanRow[]> {
  if (ids.length === 0) return [];
  return orm
    .select()
    .from(plans)
    .where(and(eq(plans.environment_id, environmentId), inArray(plans.id, [...ids])));
}

/** Locks the plan until the transaction ends. */
export async function lockPlan(orm: Orm, environmentId: string, id: string): Promise<PlanRow | null> {
  const rows = await orm.select().from(plans).where(byId(environmentId, id)).for("update");
  return rows[0] ?? null;
}

/** Null if the new name is taken, which ends the transaction. */
export async function updatePlan(
  orm: Orm,
  environmentId: string,
  id: string,
  changes: Partial<PlanValues> & { updated_at: string },
): Promise<PlanRow | null> {
  try {
    const rows = await orm.update(plans).set(changes).where(byId(environmentId, id)).returning();
    if (rows[0] === undefined) throw new Error(`plan ${id} vanished while it was locked`);
    return rows[0];
  } catch (error) {
    if (isTaken(error, "plans_name")) return null;
    throw error;
  }
}

export type PlanFilter = { status?: PlanStatus | undefined; type?: PlanType | undefined };

const matching = (environmentId: string, filter: PlanFilter) =>
  and(
    eq(plans.environment_id, environmentId),
    filter.status && eq(plans.status, filter.status),
    filter.type && eq(plans.type, filter.type),
  );

/** Newest first: descending primary key, whose UUIDv7 holds the creation time. */
export function listPlans(
  orm: Orm,
  environmentId: string,
  filter: PlanFilter,
  page: { limit: number; offset: number; after: string | null },
): Promise<PlanRow[]> {
  return orm
    .select()
    .from(plans)
    .where(and(matching(environmentId, filter), page.after === null ? undefined : lt(plans.id, page.after)))
    .orderBy(desc(plans.id))
    .limit(page.limit)
    .offset(page.offset);
}

/** Number of matches, counted no further than `cap` + 1. */
export async function countPlans(orm: Orm, environmentId: string, filter: PlanFilter, cap: number): Promise<number> {
  return countUpTo(orm, plans, matching(environmentId, filter), cap + 1);
}
