import { readClock } from "@/db/queries/clock";
import { findNextPeriods } from "@/db/queries/subscriptions/due";
import { findTestClock, startAdvancing, type TestClockRow } from "@/db/queries/test-clock";
import { AppError } from "@/lib/contract/errors";
import { instantOf } from "@/lib/contract/fields";
import { type AdvanceTestClockBody, MAX_ADVANCE_YEARS, type TestClock } from "@/lib/contract/test-clock/endpoints";
import type { ClockPresets } from "@/lib/contract/test-clock/presets";
import type { Context, Service } from "../context";
import { recordAct } from "../events/event";

/** A caller's environment is cached for at most this long. */
const CACHED_MS = 500;
/** Time for requests that began with a running clock to end; later ones find it frozen. */
const HELD_MS = 2 * CACHED_MS;

/** The times of subscriptions that a user may want to advance to. */
export async function getClockPresets(ctx: Context): Promise<ClockPresets> {
  requireTestMode(ctx);
  return findNextPeriods(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id);
}

/** The environment's clock. Throws `permission_denied` in live mode, which has none. */
export async function getTestClock(ctx: Context): Promise<TestClock> {
  requireTestMode(ctx);
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const row = await findTestClock(sql, ctx.environment.id);
  if (!row) throw new Error(`environment ${ctx.environment.id} is gone`);
  return presentTestClock(row);
}

/**
 * Starts to advance the clock; a job moves it (advance.ts). Throws `clock_advancing` if it is already moving,
 * and `invalid_parameter` unless `to` is later than its time, by at most two years.
 */
export async function advanceTestClock(ctx: Context, input: AdvanceTestClockBody): Promise<TestClock> {
  requireTestMode(ctx);
  const { id } = ctx.environment;
  const to = instantOf(input.to).toISOString();
  const started = await ctx.service.db.orm.transaction(async (tx) => {
    if (!(await startAdvancing(tx, id, { to, years: MAX_ADVANCE_YEARS, heldMs: HELD_MS }))) return false;
    await recordAct(ctx, tx, "test_clock.advanced", id, { to });
    return true;
  });
  const clock = await getTestClock(ctx);
  if (started) {
    // After the response, no write may find a running clock.
    await ctx.service.timer.wait(CACHED_MS);
    return clock;
  }
  if (clock.status === "ADVANCING") throw clockAdvancing();
  const message =
    to <= clock.now
      ? `The clock only goes forward: it is ${clock.now} already. Choose a later time.`
      : `One call advances the clock by at most ${MAX_ADVANCE_YEARS} years from ${clock.now}. Choose an earlier time, then advance it again.`;
  throw new AppError("invalid_parameter", message, {
    errors: [{ param: "to", code: "invalid_parameter", message }],
  });
}

function requireTestMode({ environment }: Context): void {
  if (environment.mode === "test") return;
  throw new AppError("permission_denied", "Live mode has real time and no test clock. Use a test key.");
}

function presentTestClock(row: TestClockRow): TestClock {
  return {
    object: "test_clock",
    now: row.now,
    // Real time continues while the clock is frozen, and overtakes one that wasn't ahead yet.
    offset_seconds: Math.max(0, Math.floor(row.ahead_ms / 1_000)),
    status: row.clock_advancing_to !== null ? "ADVANCING" : row.clock_failure !== null ? "FAILED" : "READY",
    advancing_to: row.clock_advancing_to,
    failure_reason: row.clock_failure,
  };
}

/** The refusal of a write while the clock advances. */
export const clockAdvancing = () =>
  new AppError("clock_advancing", "The test clock is advancing. Send the request again once it is READY.", {
    retryAfterSeconds: 1,
  });

/**
 * The context of a write, with the current clock. Throws `clock_advancing` while it moves. Every write from
 * the API, the dashboard and the payment form goes through here.
 */
export async function requireRunningClock(ctx: Context): Promise<Context> {
  if (ctx.environment.clock === null || ctx.environment.clock.frozenAt === null) return ctx;
  // The caller's environment may have been read before the clock was ready again.
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const clock = await readClock(sql, ctx.environment.id);
  if (clock?.frozenAt) throw clockAdvancing();
  return { ...ctx, environment: { ...ctx.environment, clock } };
}

/** The same for a write that has only the environment's id. */
export async function requireRunningClockOf({ db }: Pick<Service, "db">, environmentId: string): Promise<void> {
  if ((await readClock(db.within(environmentId).sql, environmentId))?.frozenAt) throw clockAdvancing();
}
