import {
  endAdvancing,
  isMoneyMoving,
  listMovedClocks,
  type MovingClock,
  moveClock,
  readInvoicePaymentDelay,
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
/** Max wait of a clock for the outcome of an invoice's payment; then its advance fails. */
const MAX_OUTCOME_WAIT_MS = 600_000;
/** Attempts of a failing topic, and the pause between them. */
const MAX_ATTEMPTS = 3;
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
  let clock = taken;
  // At first everything, because a killed run may have left anything undone.
  for (let dues: Instant["dues"] = TOPICS.map(() => EVER); ; ) {
    const instant = await runInstant(service, id, { now: clock.frozen_at, dues }, stopping);
    if (stopping?.aborted) return releaseClock(sql, clock, 0);
    if ("failed" in instant)
      return endAdvancing(sql, clock, `What was due at ${clock.frozen_at} could not be done: ${instant.failed.name}.`);
    // Whatever follows depends on whether the invoice is paid.
    const delayMs = await readInvoicePaymentDelay(sql, id);
    if (delayMs !== null && delayMs <= MAX_OUTCOME_WAIT_MS) return releaseClock(sql, clock, BUSY_MS);
    if (delayMs !== null)
      return endAdvancing(sql, clock, `The outcome of an invoice's payment at ${clock.frozen_at} is not known yet.`);
    dues = instant.dues;
    const next = await nextDue(service, id, { now: clock.frozen_at, dues });
    const isLast = next === null || next > to;
    const at = isLast ? to : next;
    if (!(await moveClock(sql, clock, at, LEASE_MS))) return;
    clock = { ...clock, frozen_at: at };
    if (isLast) return endAdvancing(sql, clock, null);
  }
}

/** An environment's time, and the earliest instant at which each of `TOPICS` is due; null if never. */
type Instant = { readonly now: string; readonly dues: readonly (string | null)[] };

/** Earlier than every instant. */
const EVER = "-infinity";

const duesAfter = (service: Service, environmentId: string, after: string): Promise<(string | null)[]> => {
  const { sql } = service.db.within(environmentId);
  return Promise.all(TOPICS.map((topic) => topic.nextDue(sql, environmentId, after, service)));
};

// Instants are ISO 8601 in UTC, so they sort as text.
const isDueBy = (now: string, due: string | null | undefined): boolean => typeof due === "string" && due <= now;

/** Does everything due by `now`. Returns what is due afterwards, or the topic that failed every attempt. */
async function runInstant(
  service: Service,
  environmentId: string,
  { now, dues: known }: Instant,
  stopping?: AbortSignal,
): Promise<Pick<Instant, "dues"> | { failed: Topic }> {
  /** Topics that had nothing left that could be done, since anything was last done. */
  const idle = new Set<Topic>();
  for (let dues = known; ; dues = await duesAfter(service, environmentId, EVER)) {
    const ready = TOPICS.filter((topic, i) => isDueBy(now, dues[i]) && !idle.has(topic));
    if (ready.length === 0 || stopping?.aborted) return { dues };
    for (const topic of ready) {
      const done = await tryTopic(service, topic, environmentId, stopping);
      if (done === null) return { failed: topic };
      if (done > 0) idle.clear();
      else idle.add(topic);
    }
  }
}

/** The next instant at which anything becomes due, whatever still waits at this one. */
async function nextDue(service: Service, environmentId: string, { now, dues }: Instant): Promise<string | null> {
  const later = dues.some((due) => isDueBy(now, due)) ? await duesAfter(service, environmentId, now) : dues;
  return later.filter((due) => due !== null).sort()[0] ?? null;
}

/** Does everything due by the environment's time. Stops at a topic that fails every attempt. */
async function runDue(service: Service, environmentId: string, stopping?: AbortSignal): Promise<void> {
  for (let done = 1; done > 0 && !stopping?.aborted; ) {
    done = 0;
    for (const topic of TOPICS) {
      const did = await tryTopic(service, topic, environmentId, stopping);
      if (did === null) return;
      done += did;
    }
  }
}

/** Null if every attempt failed. */
async function tryTopic(
  service: Service,
  topic: Topic,
  environmentId: string,
  stopping?: AbortSignal,
): Promise<number | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await topic.run(service, environmentId, stopping);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      service.log.error({ err: error, environment: environmentId, topic: topic.name }, "due work failed");
      if (attempt === MAX_ATTEMPTS) return null;
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
