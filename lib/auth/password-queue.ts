import { createPlaces, type Places } from "@/lib/places";

/** One core's work at a time, and what else needs Node's threads, files and names for one, finds some free. */
const AT_ONCE = 2;
/** About two seconds of work. */
const MOST_WAITING = 100;

/** On globalThis, for the pages are bundled with a copy of this module. */
const holder = globalThis as { [key: symbol]: Places | undefined };
const KEY = Symbol.for("cardlane.password-work");

function places(): Places {
  holder[KEY] ??= createPlaces(AT_ONCE);
  return holder[KEY];
}

/** Whether so many passwords wait to be looked at that a stranger's is better not taken. */
export const arePasswordsBusy = (): boolean => places().waiting >= MOST_WAITING;

/** Does work that takes a core, when its turn has come. */
export const inTurn = <T>(work: () => Promise<T>): Promise<T> => places().inTurn(work);
