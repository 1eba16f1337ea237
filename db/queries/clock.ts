import { eq } from "drizzle-orm";
import type { Orm, Sql, Transaction } from "@/db/client";
import { environments } from "@/db/schema/accounts";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Fragment } from "./statement-text";

/**
 * A test environment's clock relative to real time: ahead of it, and frozen while it advances. `null`: real
 * time, as always in live mode.
 */
export type ClockSetting = { readonly offsetMs: number; readonly frozenAt: string | null } | null;

/** The setting in an environment's row. */
export type ClockColumns = { clock_offset_ms: number; clock_frozen_at: string | null };

export const clockSettingOf = ({ clock_offset_ms, clock_frozen_at }: ClockColumns): ClockSetting =>
  clock_offset_ms === 0 && clock_frozen_at === null ? null : { offsetMs: clock_offset_ms, frozenAt: clock_frozen_at };

/**
 * The environment's time in a statement; `environmentNow` is the same in TypeScript. Costs nothing in live
 * mode, and one lookup by primary key in test mode.
 */
export const clockNow = (sql: Sql | Transaction, environmentId: string, mode: Mode | null = null): Fragment =>
  mode === "live" ? sql`now()` : sql`(select clock_now(${environmentId}::uuid))`;

/** The setting as columns of T1, which passes it on to T2. */
export const clockColumns = (sql: Sql | Transaction, environmentId: string, mode: Mode): Fragment =>
  mode === "live"
    ? sql`0::bigint as clock_offset_ms, null::timestamptz as clock_frozen_at`
    : sql`(select clock_offset_ms from environments where id = ${environmentId}::uuid),
      (select clock_frozen_at from environments where id = ${environmentId}::uuid)`;

/** Real time, for work on an operation that has ended; T2 reads the clock if it is ahead. */
export const REAL_TIME: ClockColumns = { clock_offset_ms: 0, clock_frozen_at: null };

/** Like {@link readClock}, in a transaction of the query builder. */
export async function readClockIn(orm: Orm, environmentId: string): Promise<ClockSetting> {
  const { clock_offset_ms, clock_frozen_at } = environments;
  const [row] = await orm
    .select({ clock_offset_ms, clock_frozen_at })
    .from(environments)
    .where(eq(environments.id, environmentId));
  return row ? clockSettingOf(row) : null;
}

/** Reads the setting for work without a caller's environment. Index: primary key. */
export async function readClock(sql: Sql | Transaction, environmentId: string): Promise<ClockSetting> {
  const [row] = await sql<ClockColumns[]>`
    select clock_offset_ms, clock_frozen_at from environments where id = ${environmentId}::uuid`;
  return row ? clockSettingOf(row) : null;
}
