import { V7Generator } from "uuidv7";
import { nowMs } from "./clock";

const present = new V7Generator();
/** Set back by more, the clock was wrong before; by less, ids stay in order. */
const MAY_LAG_MS = 10_000;

/** A new UUIDv7, of the database's time. Ids made by one process are in order even within a millisecond. */
export const newId = (): string => present.generateOrResetCore(nowMs(), MAY_LAG_MS).toString();

/** No id comes before it: where a walk through ids, or through environments, begins. */
export const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/** The moment inside a UUIDv7, which is also its row's `created_at` (ISO 8601, UTC). */
export function idTime(uuid: string): string {
  return new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)).toISOString();
}

/** The lowest UUID of a millisecond: ids from it on were created at or after `time`. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}

const past = new V7Generator();

/** A UUIDv7 of a given moment, for rows that stand for something older (demo data, imports). */
export function idAt(time: Date): string {
  return past.generateOrResetCore(time.getTime(), 0).toString();
}
