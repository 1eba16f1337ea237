import { isCanceled } from "@/db/refusals";
import { BoundedMap } from "@/lib/bounded-map";
import { AppError } from "@/lib/contract/errors";
import { endInstantOf, instantOf, LAST_TIME, TOTAL_CAP } from "@/lib/contract/fields";
import { firstIdAt } from "@/lib/ids";
import type { Service } from "./context";

export type ListAnswer<Item> = {
  object: "list";
  data: Item[];
  limit: number;
  offset: number;
  has_more: boolean;
  total: number;
  total_capped: boolean;
};

/** A page as the API shows it. `found.total` counts to one more than the cap. */
export function listAnswer<Item>(
  data: Item[],
  found: { hasMore: boolean; total: number },
  limit: number,
  offset: number,
): ListAnswer<Item> {
  return {
    object: "list",
    data,
    limit,
    offset,
    has_more: found.hasMore,
    total: Math.min(found.total, TOTAL_CAP),
    total_capped: found.total > TOTAL_CAP,
  };
}

/** `starting_after` names nothing in this environment. An empty page would look like the end of the list. */
export function unknownCursor(kind: string, id: string): AppError {
  const article = /^[aeiou]/.test(kind) ? "an" : "a";
  const message = `starting_after must be the id of ${article} ${kind} in this environment; '${id}' is not one.`;
  return new AppError("invalid_parameter", message, {
    errors: [{ param: "starting_after", code: "invalid_parameter", message }],
  });
}

/**
 * Searches by words within the statement's time limit. When that is too short it is not an outage, because the caller can
 * narrow the search: throws `invalid_parameter` for the parameter with the words.
 */
export async function findWithWords<T>(
  { q, param }: { q: string | undefined; param: string },
  find: () => Promise<T>,
): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (q === undefined || !isCanceled(error)) throw error;
    const message = "Too many transactions match these words to search in time. Add another word, a date or a status.";
    throw new AppError("invalid_parameter", message, {
      errors: [{ param, code: "invalid_parameter", message }],
      cause: error,
    });
  }
}

/**
 * Reads a list within the statement's time limit. When filters or an offset make it too slow, that is no outage, because the caller
 * can narrow them: throws `invalid_parameter`.
 */
export async function readInTime<T>(input: object, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isNarrowable = Object.keys(input).some((name) => name !== "id" && name !== "limit");
    if (!isNarrowable || !isCanceled(error)) throw error;
    const message =
      "Too many rows have to be examined for this list. Choose a shorter time range or another filter, or page with starting_after instead of a large offset.";
    throw new AppError("invalid_parameter", message, { cause: error });
  }
}

type TimeEnds = { [End in "after" | "gte" | "before" | "lte"]?: string | undefined };

/**
 * From the first millisecond of a range to the first one after it. `after` and `before` are exclusive, `gte` and `lte`
 * inclusive, and a bare date as `lte` means its end. Callers may send microseconds: anything after a whole millisecond counts
 * as before the next one. Nothing was made after the latest time that PostgreSQL knows.
 */
export function millisecondsOf({ after, gte, before, lte }: TimeEnds): { gte?: Date; lt?: Date } {
  const later = (time: Date, milliseconds: number) => new Date(Math.min(time.getTime() + milliseconds, LAST_TIME));
  const part = (value: string) => (/\.\d{3}\d*[1-9]/.test(value) ? 1 : 0);
  return {
    ...(gte !== undefined && { gte: later(instantOf(gte), part(gte)) }),
    ...(after !== undefined && { gte: later(instantOf(after), 1) }),
    ...(lte !== undefined && { lt: later(endInstantOf(lte), 1) }),
    ...(before !== undefined && { lt: later(instantOf(before), part(before)) }),
  };
}

/** The same of times of creation, as ids: an id is made in the millisecond of `created_at`. */
export function idRange(ends: TimeEnds): { gte?: string; lt?: string } {
  const { gte, lt } = millisecondsOf(ends);
  return { ...(gte && { gte: firstIdAt(gte) }), ...(lt && { lt: firstIdAt(lt) }) };
}

/**
 * Totals of lists from the last seconds. A page reads 20 rows; counting the rest can cost twenty times as much, and paging,
 * refreshing and filtering request the same totals. They are at most two seconds old, and dropped as soon as this process
 * writes to the environment: no list shows a total older than an earlier answer.
 */
const FRESH_MS = 2_000;
/** Of each environment, and how many environments: some ten megabytes at most. */
const TOTALS = 25;
const ENVIRONMENTS = 500;

type Known = {
  /** Counts the writes of this process, so that what was counted before one is not kept after it. */
  writes: number;
  readonly totals: BoundedMap<string, { total: number; untilMs: number }>;
  /** Filters over what never changes, with more matches than are counted: transactions are not deleted. */
  readonly capped: BoundedMap<string, true>;
};

/** On globalThis, for the pages are bundled with a copy of this module. */
const holder = globalThis as { [key: symbol]: BoundedMap<string, Known> | undefined };
const KEY = Symbol.for("cardlane.known-totals");

function environments(): BoundedMap<string, Known> {
  holder[KEY] ??= new BoundedMap(ENVIRONMENTS);
  return holder[KEY];
}

function knownOf(environmentId: string): Known {
  return environments().getOrCreate(environmentId, () => ({
    writes: 0,
    totals: new BoundedMap(TOTALS),
    capped: new BoundedMap(TOTALS),
  }));
}

/** Call after any write that may touch transactions, before responding. */
export function forgetTotals(environmentId: string): void {
  const known = environments().get(environmentId);
  if (!known) return;
  known.writes++;
  // Clearing makes a new table, also of an empty map.
  if (known.totals.size > 0) known.totals.clear();
}

type Counted = {
  /** Names what is counted: equal names are equal filters. */
  filter: string;
  /** Whether what it filters by never changes, so that a match stays one. */
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
    known.capped.set(filter, true);
  } else if (known.writes === writes) {
    known.totals.set(filter, { total: page.total, untilMs: nowMs + FRESH_MS });
  }
  return page;
}
