import type { Sql } from "@/db/client";

/** What EXPLAIN (FORMAT JSON) tells of a plan, as far as tests look at it. */
export type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  /** Pages read from memory, of the node and all below it; where EXPLAIN was asked for buffers. */
  "Shared Hit Blocks"?: number;
  Plans?: Plan[];
};

/** The plan in a row that EXPLAIN answered. */
export function planOf(row: unknown): Plan {
  const plan = (row as { "QUERY PLAN": string | [{ Plan: Plan }] })["QUERY PLAN"];
  return (typeof plan === "string" ? (JSON.parse(plan) as [{ Plan: Plan }]) : plan)[0].Plan;
}

export function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/**
 * The plan that a connection makes for any values and keeps. Prepared, as the service sends it: EXPLAIN (GENERIC_PLAN) came with
 * PostgreSQL 16.
 */
export function genericPlanOf(sql: Sql, text: string): Promise<Plan> {
  const parameters = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
  const values = parameters === 0 ? "" : `(${Array(parameters).fill("null").join(", ")})`;
  return sql.begin(async (tx) => {
    await tx.unsafe("set local plan_cache_mode = force_generic_plan");
    await tx.unsafe(`prepare explained as ${text}`).simple();
    const [row] = await tx.unsafe(`explain (format json) execute explained${values}`).simple();
    await tx.unsafe("deallocate explained");
    return planOf(row);
  });
}
