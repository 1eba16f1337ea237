import { endInstantOf, instantOf } from "@/lib/contract/fields";
import { firstIdAt } from "@/lib/ids";

/**
 * Times of creation as ids: an id is made in the millisecond of `created_at`, so "after T" is "from the first id of the
 * next millisecond on". Callers may write microseconds; what is past a whole millisecond lies before the next one.
 */
const NOT_WHOLE_MILLISECOND = /\.\d{3}\d*[1-9]/;

const idFrom = (time: Date, milliseconds: number) => firstIdAt(new Date(time.getTime() + milliseconds));
const part = (value: string) => (NOT_WHOLE_MILLISECOND.test(value) ? 1 : 0);

/** First id created later than the time. */
export const idAfter = (value: string): string => idFrom(instantOf(value), 1);
/** First id created at the time or later. */
export const idSince = (value: string): string => idFrom(instantOf(value), part(value));
/** First id that was not created before the time. */
export const idBefore = (value: string): string => idFrom(instantOf(value), part(value));
/** First id created later than the time; a bare date means its end. */
export const idUntil = (value: string): string => idFrom(endInstantOf(value), 1);

/** The range `created_after` to `created_before`, both exclusive. */
export function idRange(query: { created_after?: string | undefined; created_before?: string | undefined }) {
  return {
    fromId: query.created_after === undefined ? undefined : idAfter(query.created_after),
    beforeId: query.created_before === undefined ? undefined : idBefore(query.created_before),
  };
}
