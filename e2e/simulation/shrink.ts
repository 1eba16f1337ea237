import { FAULTS, type Plan } from "./world";

/** What of a run matters here. */
export type Failing = {
  readonly plan: Plan;
  readonly violations: readonly string[];
  readonly actors: readonly string[];
  readonly trace: readonly string[];
};

/** Other orders that are tried when one thing less makes the failure go away. */
const VARIATIONS = 5;
const MOST_RUNS = 150;

/**
 * The smallest run that it finds which fails as well: fewer clients, fewer kinds of faults, fewer faults. With one thing less all
 * that follows is chosen otherwise, so each is tried in several orders, and the shortest of those that fail is kept.
 */
export async function shrink<R extends Failing>(failing: R, run: (plan: Plan) => Promise<R>): Promise<R> {
  let best = failing;
  let runs = 0;
  const kinds = new Set(failing.violations.map(kindOf));
  const attempt = async (change: Partial<Plan>): Promise<boolean> => {
    const found: R[] = [];
    for (let i = 0; i < VARIATIONS && runs < MOST_RUNS; i++, runs++) {
      const tried = await run({ ...best.plan, ...change, variation: i === 0 ? best.plan.variation : i });
      if (tried.violations.some((one) => kinds.has(kindOf(one)))) found.push(tried);
    }
    const [shortest] = found.sort((a, b) => a.trace.length - b.trace.length);
    if (shortest) best = shortest;
    return shortest !== undefined;
  };

  for (const kind of FAULTS) await attempt({ faults: best.plan.faults.filter((one) => one !== kind) });
  for (let budget = 0; budget < best.plan.faultBudget; budget++) if (await attempt({ faultBudget: budget })) break;
  for (const actor of failing.actors) await attempt({ without: [...best.plan.without, actor] });
  return best;
}

/** Two that begin alike, but for numbers and names, break the same rule. */
const kindOf = (violation: string) => violation.replaceAll(/\b[a-z]{0,20}\d[\d-]*/g, "").slice(0, 60);

/** What somebody reads of a failure: what is wrong, how to see it again, and how it came about. */
export function report({ plan, violations, trace }: Failing, shortest: Failing): string {
  const { variation, faults, faultBudget, without } = shortest.plan;
  return [
    `Seed ${plan.seed} breaks a rule:`,
    ...violations.map((violation) => `  ${violation}`),
    "",
    `Again: npm run prove:simulation -- --seed ${plan.seed}`,
    "",
    `The shortest that breaks one, of ${trace.length} lines (order ${variation}, at most ${faultBudget} faults of ${
      faults.join(", ") || "no kind"
    }, without ${without.join(", ") || "nobody"}):`,
    ...shortest.violations.map((violation) => `  ${violation}`),
    "",
    ...shortest.trace,
    "",
  ].join("\n");
}
