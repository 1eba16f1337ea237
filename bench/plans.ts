/** What EXPLAIN (FORMAT JSON) tells of a plan, as far as tests look at it. */
export type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
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
