import { TOTAL_CAP } from "@/lib/contract/fields";
import type { Service } from "./context";

/**
 * What the last seconds' lists counted. A page reads its 20 rows; counting what else there is can cost twenty times as much, and
 * those who page, refresh and filter ask for the same totals. They are at most two seconds old and go at once when this process
 * writes to their environment: nobody sees one that is older than an answer that was given before.
 */
const FRESH_MS = 2_000;
/** Of each environment, and how many environments: some ten megabytes at most. */
const TOTALS = 25;
const ENVIRONMENTS = 500;

type Known = {
  /** Counts the writes of this process, so that what was counted before one is not kept after it. */
  writes: number;
  readonly totals: Map<string, { total: number; untilMs: number }>;
  /** Filters over what never changes, of which there are more than anybody counts: transactions are not deleted. */
  readonly capped: Set<string>;
};

/** On globalThis, for the pages are bundled with a copy of this module. */
const holder = globalThis as { [key: symbol]: Map<string, Known> | undefined };
const KEY = Symbol.for("cardlane.known-totals");

function environments(): Map<string, Known> {
  holder[KEY] ??= new Map();
  return holder[KEY];
}

function drop(oldestOf: Map<string, unknown> | Set<string>, most: number): void {
  if (oldestOf.size >= most) oldestOf.delete(oldestOf.keys().next().value as string);
}

function knownOf(environmentId: string): Known {
  const all = environments();
  const known = all.get(environmentId);
  if (known) return known;
  drop(all, ENVIRONMENTS);
  const made: Known = { writes: 0, totals: new Map(), capped: new Set() };
  all.set(environmentId, made);
  return made;
}

/** After each statement of this process that wrote, or may have written, a transaction of the environment, and before its answer. */
export function forgetTotals(environmentId: string): void {
  const known = environments().get(environmentId);
  if (!known) return;
  known.writes++;
  known.totals.clear();
}

export type Counted = {
  /** Names what is counted: equal names are equal filters. */
  filter: string;
  /** Whether what it filters by never changes, so that whatever matches goes on to match. */
  onlyGrows: boolean;
};

/** Finds a page with the total that is known, or counts it on the way (`find(null)`) and remembers it. */
export async function withKnownTotal<Page extends { total: number }>(
  { timer }: Pick<Service, "timer">,
  environmentId: string,
  { filter, onlyGrows }: Counted,
  find: (total: number | null) => Promise<Page>,
): Promise<Page> {
  const known = knownOf(environmentId);
  const nowMs = timer.elapsedMs();
  if (known.capped.has(filter)) return find(TOTAL_CAP + 1);
  const kept = known.totals.get(filter);
  if (kept && kept.untilMs > nowMs) return find(kept.total);
  const { writes } = known;
  const page = await find(null);
  if (onlyGrows && page.total > TOTAL_CAP) {
    drop(known.capped, TOTALS);
    known.capped.add(filter);
  } else if (known.writes === writes) {
    known.totals.delete(filter);
    drop(known.totals, TOTALS);
    known.totals.set(filter, { total: page.total, untilMs: nowMs + FRESH_MS });
  }
  return page;
}
