import { isCanceled } from "@/db/refusals";
import { BoundedMap } from "@/lib/bounded-map";
import { AppError } from "@/lib/contract/errors";
import { endInstantOf, instantOf, LAST_TIME, TOTAL_CAP } from "@/lib/contract/fields";
import { firstIdAt } from "@/lib/ids";
import type { Service } from "./context";

export type ListResult<Item> = {
  object: "list";
  data: Item[];
  limit: number;
  offset: number;
  has_more: boolean;
  total: number;
  total_capped: boolean;
};

/** A page as the API shows it. `found.total` is at most one more than the cap. */
export function presentList<Item>(
  data: Item[],
  found: { hasMore: boolean; total: number },
  limit: number,
  offset: number,
): ListResult<Item> {
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

/**
 * The error for a `starting_after` not in this environment. An empty page would look like the end of the
 * list.
 */
export function unknownCursor(kind: string, id: string): AppError {
  const article = /^[aeiou]/.test(kind) ? "an" : "a";
  const message = `starting_after must be the id of ${article} ${kind} in this environment; '${id}' is not one.`;
  return new AppError("invalid_parameter", message, {
    errors: [{ param: "starting_after", code: "invalid_parameter", message }],
  });
}

/**
 * Searches within the statement timeout. A timeout is not an outage, because the caller can narrow the
 * search: throws `invalid_parameter` for the parameter with the search terms.
 */
export async function findBySearchTerms<T>(
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
 * Reads a list within the statement timeout. A timeout caused by filters or an offset is not an outage,
 * because the caller can narrow them: throws `invalid_parameter`.
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
 * A range's first millisecond, and the first one after it. `after` and `before` are exclusive, `gte` and
 * `lte` inclusive; a bare date as `lte` means its end. Fractions of a millisecond are rounded up, as stored
 * times have none. Bounds are capped at the latest time that PostgreSQL supports.
 */
export function toMillisecondRange({ after, gte, before, lte }: TimeEnds): { gte?: Date; lt?: Date } {
  const later = (time: Date, milliseconds: number) => new Date(Math.min(time.getTime() + milliseconds, LAST_TIME));
  const extraMillisecond = (value: string) => (/\.\d{3}\d*[1-9]/.test(value) ? 1 : 0);
  return {
    ...(gte !== undefined && { gte: later(instantOf(gte), extraMillisecond(gte)) }),
    ...(after !== undefined && { gte: later(instantOf(after), 1) }),
    ...(lte !== undefined && { lt: later(endInstantOf(lte), 1) }),
    ...(before !== undefined && { lt: later(instantOf(before), extraMillisecond(before)) }),
  };
}

/** The same range as ids, for `created_at`: an id contains the millisecond of its creation. */
export function idRange(ends: TimeEnds): { gte?: string; lt?: string } {
  const { gte, lt } = toMillisecondRange(ends);
  return { ...(gte && { gte: firstIdAt(gte) }), ...(lt && { lt: firstIdAt(lt) }) };
}

/**
 * Max age of a cached total. Counting can cost 20 times as much as reading a page of 20 rows, and paging and
 * refreshing need the same total. A write of this process to the environment drops its totals, so that no
 * list contradicts an earlier response.
 */
const FRESH_MS = 2_000;
/** Max totals per environment, and max environments: about 10 MB in all. */
const MAX_TOTALS = 25;
const MAX_ENVIRONMENTS = 500;

type CachedTotals = {
  /** Number of writes by this process. A total is cached only if there was no write during its count. */
  writes: number;
  readonly totals: BoundedMap<string, { total: number; untilMs: number }>;
  /**
   * Filters by immutable columns whose total exceeds the cap. It stays so, because transactions are never
   * deleted.
   */
  readonly capped: BoundedMap<string, true>;
};

/** On globalThis, because the pages' bundle has its own copy of this module. */
const holder = globalThis as { [key: symbol]: BoundedMap<string, CachedTotals> | undefined };
const KEY = Symbol.for("cardlane.known-totals");

function environments(): BoundedMap<string, CachedTotals> {
  holder[KEY] ??= new BoundedMap(MAX_ENVIRONMENTS);
  return holder[KEY];
}

function getCachedTotals(environmentId: string): CachedTotals {
  return environments().getOrCreate(environmentId, () => ({
    writes: 0,
    totals: new BoundedMap(MAX_TOTALS),
    capped: new BoundedMap(MAX_TOTALS),
  }));
}

/** Call after any write that may touch transactions, before responding. */
export function forgetTotals(environmentId: string): void {
  const known = environments().get(environmentId);
  if (!known) return;
  known.writes++;
  // clear() allocates a new table, even for an empty map.
  if (known.totals.size > 0) known.totals.clear();
}

type CountedFilter = {
  /** Cache key: equal keys are equal filters. */
  filter: string;
  /** True if the filter uses only immutable columns, so that a match always stays one. */
  onlyGrows: boolean;
};

/** Finds a page with the cached total, or lets `find(null)` count it and caches the result. */
export async function withCachedTotal<Page extends { total: number }>(
  { timer }: Pick<Service, "timer">,
  environmentId: string,
  { filter, onlyGrows }: CountedFilter,
  find: (total: number | null) => Promise<Page>,
): Promise<Page> {
  const known = getCachedTotals(environmentId);
  const nowMs = timer.elapsedMs();
  if (known.capped.has(filter)) return find(TOTAL_CAP + 1);
  const cached = known.totals.get(filter);
  if (cached && cached.untilMs > nowMs) return find(cached.total);
  const { writes } = known;
  const page = await find(null);
  if (onlyGrows && page.total > TOTAL_CAP) {
    known.capped.set(filter, true);
  } else if (known.writes === writes) {
    known.totals.set(filter, { total: page.total, untilMs: nowMs + FRESH_MS });
  }
  return page;
}
