import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Linux counts in hundredths of a second for everyone (USER_HZ), whatever its kernel ticks in. */
const TICK_MS = 10;

type Times = { parent: number; ms: number; ofReaped: number };

/** What a process, its children, and those children that have ended, have had of the processors, in ms; null where the system does not tell. */
export function cpuMs(pid: number): number | null {
  if (!existsSync("/proc/self/stat")) return null;
  let sum = 0;
  for (const name of readdirSync("/proc")) {
    const times = /^\d+$/.test(name) ? timesOf(name) : null;
    if (times === null) continue;
    if (Number(name) === pid) sum += times.ms + times.ofReaped;
    else if (times.parent === pid) sum += times.ms;
  }
  return sum;
}

/** Null for one that has ended meanwhile. */
function timesOf(pid: string): Times | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before it may hold anything, brackets and blanks included.
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const field = (index: number) => fields[index] ?? 0;
    return { parent: field(1), ms: (field(11) + field(12)) * TICK_MS, ofReaped: (field(13) + field(14)) * TICK_MS };
  } catch {
    return null;
  }
}
