import { FAULTS, type Plan } from "./world";

/** The parts of a run that shrinking uses. */
export type Failing = {
  readonly plan: Plan;
  readonly violations: readonly string[];
  readonly actors: readonly string[];
  readonly trace: readonly string[];
};

/** Other orders to try when removing something makes the failure disappear. */
const VARIATIONS = 5;
const MOST_RUNS = 150;

/**
 * Finds the smallest run that still fails: fewer clients, kinds of faults and faults. Removing one thing
 * changes all later random choices, so each removal is tried in several orders, and the shortest failing run
 * is kept.
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

/** Violations that start alike, apart from numbers and names, break the same rule. */
const kindOf = (violation: string) => violation.replaceAll(/\b[a-z]{0,20}\d[\d-]*/g, "").slice(0, 60);

/** A failure report: the violations, the command to reproduce them, and the trace that led to them. */
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
