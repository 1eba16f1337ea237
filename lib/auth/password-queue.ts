/** One core's work at a time, and what else needs Node's threads, files and names for one, finds some free. */
const AT_ONCE = 2;
/** About two seconds of work. */
const MOST_WAITING = 100;

/** On globalThis, for the pages are bundled with a copy of this module. */
const holder = globalThis as { [key: symbol]: { working: number; waiting: (() => void)[] } | undefined };
const KEY = Symbol.for("cardlane.password-work");

function queue() {
  holder[KEY] ??= { working: 0, waiting: [] };
  return holder[KEY];
}

/** Whether so many passwords wait to be looked at that a stranger's is better not taken. */
export const arePasswordsBusy = (): boolean => queue().waiting.length >= MOST_WAITING;

/** Does work that takes a core, when its turn has come. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const places = queue();
  if (places.working >= AT_ONCE) await new Promise<void>((resolve) => void places.waiting.push(resolve));
  else places.working++;
  try {
    return await work();
  } finally {
    // The place is handed on, so that nobody who comes now is before those who wait.
    const next = places.waiting.shift();
    if (next) next();
    else places.working--;
  }
}
