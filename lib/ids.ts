import { V7Generator } from "uuidv7";
import { nowMs } from "./clock";

const present = new V7Generator();
/** Beyond this, a clock that goes back was wrong before; below it, ids stay in order. */
const MAY_LAG_MS = 10_000;

/** A new UUIDv7 from the database's time. Ids of one process are in order even within a millisecond. */
export const newId = (): string => present.generateOrResetCore(nowMs(), MAY_LAG_MS).toString();

/** Lower than every id: the start of a scan through ids or environments. */
export const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/** The timestamp in a UUIDv7 (ISO 8601, UTC), which is also its row's `created_at`. */
export function idTime(uuid: string): string {
  return new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)).toISOString();
}

/** The lowest UUID of a millisecond: ids from it on were created at or after `time`. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}

const past = new V7Generator();

/** A UUIDv7 for a given time, for rows that represent something older (demo data, imports). */
export function idAt(time: Date): string {
  return past.generateOrResetCore(time.getTime(), 0).toString();
}
