import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Linux reports times in hundredths of a second (USER_HZ), whatever the kernel's own tick. */
const TICK_MS = 10;

type Times = { parent: number; ms: number; reapedMs: number };

/** CPU time of a process and its children, running or exited, in ms; null if the system doesn't report it. */
export function cpuMs(pid: number): number | null {
  if (!existsSync("/proc/self/stat")) return null;
  let sum = 0;
  for (const name of readdirSync("/proc")) {
    const times = /^\d+$/.test(name) ? readTimes(name) : null;
    if (times === null) continue;
    if (Number(name) === pid) sum += times.ms + times.reapedMs;
    else if (times.parent === pid) sum += times.ms;
  }
  return sum;
}

/** Null for a process that has exited. */
function readTimes(pid: string): Times | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The preceding name may contain anything, including parentheses and spaces.
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const field = (index: number) => fields[index] ?? 0;
    return { parent: field(1), ms: (field(11) + field(12)) * TICK_MS, reapedMs: (field(13) + field(14)) * TICK_MS };
  } catch {
    return null;
  }
}
