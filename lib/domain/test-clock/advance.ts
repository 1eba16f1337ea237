import {
  endAdvancing,
  isMoneyMoving,
  listMovedClocks,
  type MovingClock,
  moveClock,
  releaseClock,
  takeMovingClock,
} from "@/db/queries/test-clock";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { BEFORE_ALL } from "@/lib/ids";
import type { Service } from "../context";
import { forgetTotals } from "../lists";
import { TOPICS, type Topic } from "./topics";

/** Longer than the work due at one instant takes; a slower process shares it with another. */
const LEASE_MS = 60_000;
/** Pause before an environment with an operation in progress is checked again. */
const BUSY_MS = 200;
/** Attempts of a failing topic, and the pause between them. */
const MAX_TRIES = 3;
const RETRY_MS = 500;

/**
 * Moves the advancing clocks, each from one due instant to the next. Every process runs it. A clock has a
 * lease and each move is a commit, so that any process can continue a killed run. Returns the number of
 * clocks handled.
 */
export async function advanceClocks(service: Service, stopping?: AbortSignal): Promise<number> {
  for (let moved = 0; ; moved++) {
    if (stopping?.aborted) return moved;
    const clock = await takeMovingClock(service.db.sql, LEASE_MS);
    if (!clock) return moved;
    await advance(service, clock, stopping).finally(() => forgetTotals(clock.environment_id));
  }
}

async function advance(service: Service, taken: MovingClock, stopping?: AbortSignal): Promise<void> {
  const { sql } = service.db;
  const { environment_id: id, to } = taken;
  // Operations in progress must end at the old time. One with an unknown outcome is held only briefly.
  if (await isMoneyMoving(sql, id)) return releaseClock(sql, taken, BUSY_MS);
  for (let clock = taken; ; ) {
    const failed = await runDue(service, id, stopping);
    if (stopping?.aborted) return releaseClock(sql, clock, 0);
    if (failed)
      return endAdvancing(sql, clock, `What was due at ${clock.frozen_at} could not be done: ${failed.name}.`);
    const next = await nextDue(service, id, clock.frozen_at);
    const isLast = next === null || next > to;
    const instant = isLast ? to : next;
    if (!(await moveClock(sql, clock, instant, LEASE_MS))) return;
    clock = { ...clock, frozen_at: instant };
    if (isLast) return endAdvancing(sql, clock, null);
  }
}

/** The next instant at which anything becomes due. Instants are ISO 8601 in UTC, so they sort as text. */
async function nextDue(service: Service, environmentId: string, after: string): Promise<string | null> {
  const { sql } = service.db.within(environmentId);
  const dues = await Promise.all(TOPICS.map((topic) => topic.nextDue(sql, environmentId, after)));
  return dues.reduce((first, due) => (first === null || (due !== null && due < first) ? due : first), null);
}

/** Does everything due by the environment's time. Returns the topic that failed every attempt, if any. */
async function runDue(service: Service, environmentId: string, stopping?: AbortSignal): Promise<Topic | null> {
  for (let done = 1; done > 0 && !stopping?.aborted; ) {
    done = 0;
    for (const topic of TOPICS) {
      const did = await tryTopic(service, topic, environmentId, stopping);
      if (did === null) return topic;
      done += did;
    }
  }
  return null;
}

/** Null if every attempt failed. */
async function tryTopic(
  service: Service,
  topic: Topic,
  environmentId: string,
  stopping?: AbortSignal,
): Promise<number | null> {
  for (let tries = 1; ; tries++) {
    try {
      return await topic.run(service, environmentId, stopping);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      service.log.error({ err: error, environment: environmentId, topic: topic.name }, "what is due could not be done");
      if (tries === MAX_TRIES) return null;
      await service.timer.wait(RETRY_MS);
    }
  }
}

/** The environment that was served last. */
export type ClockPosition = { after: string };
/** Max environments per run, so that a busy one delays few others. */
const CLOCKS_PER_RUN = 100;

/**
 * Does what is due in environments whose clock is ahead of real time, some per run in turn; the other jobs
 * consider real time only. Failures are logged and retried in the next turn.
 */
export async function runMovedClocks(
  service: Service,
  stopping: AbortSignal | undefined,
  place: ClockPosition,
): Promise<number> {
  const clocks = await listMovedClocks(service.db.sql, place.after, CLOCKS_PER_RUN);
  for (const { id } of clocks) {
    if (stopping?.aborted) return 0;
    await runDue(service, id, stopping).finally(() => forgetTotals(id));
  }
  place.after = clocks.length < CLOCKS_PER_RUN ? BEFORE_ALL : (clocks.at(-1)?.id ?? BEFORE_ALL);
  return 0;
}
