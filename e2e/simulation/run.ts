import { encodeId } from "@/lib/contract/ids";
import { emitExpiredSessions } from "@/lib/domain/checkout/expire-sessions";
import type { Service } from "@/lib/domain/context";
import { notifyOfDisputes } from "@/lib/domain/disputes/dispute-mails";
import { finishResponses } from "@/lib/domain/disputes/respond";
import { expirePayments } from "@/lib/domain/payments/expire-payments";
import { processReports } from "@/lib/domain/payments/process-reports";
import { recoverOperations } from "@/lib/domain/payments/recover-operations";
import { runSubscriptions } from "@/lib/domain/subscriptions/engine";
import { checkStatus } from "@/lib/domain/support/unknown-outcomes";
import { advanceClocks } from "@/lib/domain/test-clock/advance";
import { newId } from "@/lib/ids";
import { callBilling } from "./billing";
import { findBillingViolations } from "./billing-checks";
import { findViolations } from "./checks";
import { findDisputeViolations } from "./dispute-checks";
import { settleAndPayOut } from "./disputes";
import type { Ground } from "./ground";
import { Load } from "./load";
import { randomOf, useIds, useRealIds } from "./random";
import { isFinal, type Part, Shop } from "./shop";
import { readClock } from "./subscribers";
import { FAULTS, type Plan, type Process, World } from "./world";

export type Run = {
  readonly plan: Plan;
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  /** Counts of the conditions that a run may or may not produce. */
  readonly seen: ReadonlyMap<string, number>;
  /** The actors of the load. */
  readonly actors: readonly string[];
  readonly environmentId: string;
};

export const planOf = (seed: number): Plan => ({
  seed,
  variation: 0,
  faults: FAULTS,
  faultBudget: 8,
  without: [],
});

let runs = 0;

/** Runs one world from start to end, when nothing is open, and returns its violations. */
export async function runPlan(ground: Ground, plan: Plan): Promise<Run> {
  const world = new World(plan);
  useIds(randomOf(++runs, `ids ${process.pid}`), () => world.nowMs);
  const shop = await Shop.open(world, ground);
  const load = new Load(shop);
  const jobs = new Jobs(shop);
  try {
    for (const process of shop.startMissing()) jobs.begin(process);
    await load.begin();
    await world.run(() => {
      for (const process of shop.startMissing()) jobs.begin(process);
      return load.isOver;
    });
    jobs.isOver = true;
    await bringToAnEnd(shop, load);
    world.violations.push(...(await findViolations(shop, load)));
    if (shop.parts.has("billing")) world.violations.push(...(await findBillingViolations(shop)));
    if (shop.parts.has("disputes")) world.violations.push(...(await findDisputeViolations(shop)));
    await endTheWorld(shop);
    if (shop.parts.has("disputes")) world.violations.push(...(await findDisputeViolations(shop)));
  } catch (error) {
    world.violate((error as Error).stack ?? String(error));
  } finally {
    await shop.database.endAll();
    useRealIds();
  }
  return {
    plan,
    violations: world.violations,
    trace: world.trace,
    seen: world.seen,
    actors: load.actors,
    environmentId: shop.environment.id,
  };
}

/** Periodic jobs of each process. Their number is limited, so that an idle world ends too. */
class Jobs {
  isOver = false;

  constructor(readonly shop: Shop) {
    shop.onUse = (part) => {
      for (const process of shop.living) this.#beginPart(process, part);
    };
  }

  begin(process: Process): void {
    const { schedule } = this.shop.world;
    this.#repeat(process, "recovery", schedule.pick([1_000, 4_000, 9_000]), recoverOperations);
    this.#repeat(process, "reports", schedule.pick([3_000, 8_000]), processReports);
    this.#repeat(process, "expiry", schedule.pick([30_000, 120_000]), expirePayments);
    this.#repeat(process, "expired sessions", schedule.pick([20_000, 90_000]), emitExpiredSessions);
    for (const part of this.shop.parts) this.#beginPart(process, part);
  }

  #beginPart(process: Process, part: Part): void {
    const { schedule } = this.shop.world;
    if (part === "disputes") {
      const { id } = this.shop.environment;
      this.#repeat(process, "reports", schedule.pick([700, 2_000]), processReports);
      this.#repeat(process, "responses", schedule.pick([1_000, 4_000]), finishResponses);
      this.#repeat(process, "notices", schedule.pick([1_000, 10_000]), (service) => notifyOfDisputes(service, id));
      return;
    }
    this.#repeat(process, "billing", schedule.pick([1_000, 4_000]), runSubscriptions);
    this.#repeat(process, "clock", schedule.pick([1_000, 3_000]), advanceClocks);
  }

  #repeat(process: Process, name: string, periodMs: number, job: (service: Service) => Promise<number>): void {
    const { world } = this.shop;
    const service = this.shop.serviceOf(process);
    void world.start({ name: `${name}@${process.name}`, process }, async () => {
      for (let pauseMs = periodMs, left = 9; left > 0 && !this.isOver; left--, pauseMs *= 1.4) {
        await world.timer.wait(pauseMs);
        if (this.isOver) return;
        const done = await job(service).catch((error: unknown) => {
          this.shop.onlyOutages(error);
          return 0;
        });
        if (name === "expiry" && done > 0) world.sometimes("an expired payment is ended");
      }
    });
  }
}

type Openness = { operations: { id: string; isOld: boolean }[]; reports: number; responses: number };

async function whatIsOpen({ ground, environment, world }: Shop): Promise<Openness> {
  const [row] = await ground.monitor<
    (Pick<Openness, "reports" | "responses"> & { operations: { id: string; created_at: string }[] | null })[]
  >`
    select (select json_agg(json_build_object('id', id, 'created_at', created_at)) from operations
        where environment_id = ${environment.id} and state = 'open') as operations,
      (select count(*)::int from disputes
        where environment_id = ${environment.id} and response_due_at is not null) as responses,
      (select count(*)::int from sandbox_processor.disputes
        where account = ${environment.id} and (reported < version or version = 0))
      + (select count(*)::int from sandbox_processor.reports
        where account = ${environment.id} and acknowledged_at is null) as reports`;
  const dayAgo = world.nowMs - 86_400_000;
  const operations = (row?.operations ?? []).map(({ id, created_at }) => ({
    id,
    isOld: Date.parse(created_at) <= dayAgo,
  }));
  return { operations, reports: row?.reports ?? 0, responses: row?.responses ?? 0 };
}

const ROUNDS = 25;

/**
 * Without further faults, closes everything open: through jobs, the clients' retries, or staff once it is a
 * day old.
 */
async function bringToAnEnd(shop: Shop, load: Load): Promise<void> {
  const { world } = shop;
  world.calm();
  const process = shop.living[0] ?? shop.start();
  await world.run(() => shop.isIdle);
  for (let round = 0; ; round++) {
    const isBilled = !shop.parts.has("billing") || (await runBilling(shop, process));
    const { operations, reports, responses } = await whatIsOpen(shop);
    if (isBilled && operations.length === 0 && reports + responses === 0) {
      if (load.open.size === 0) return;
      await askTheRest(shop, load, process);
      continue;
    }
    if (round > ROUNDS) throw new Error(`open without end: ${JSON.stringify({ operations, reports, responses })}`);
    world.nowMs += round < 3 ? 4_000 : 61_000;
    for (const { id, isOld } of operations) if (isOld) await checkStatusAsStaff(shop, process, id);
    if (operations.length > 0) await shop.calmly("recovery", process, recoverOperations);
    if (reports > 0) await shop.calmly("reports", process, processReports);
    if (responses > 0) await shop.calmly("responses", process, finishResponses);
  }
}

/** Lets the clock reach its target, and the engine do what is due. False: something is left to be done. */
async function runBilling(shop: Shop, process: Process): Promise<boolean> {
  await shop.calmly("clock", process, advanceClocks);
  const bill = (service: Service) => runSubscriptions(service, undefined, shop.environment.id);
  let isIdle = true;
  // One invoice of a subscription each time.
  while ((await shop.calmly("billing", process, bill)) > 0) isIdle = false;
  return isIdle && !(await readClock(shop)).isAdvancing;
}

/** Cancels every subscription, after which nothing may ever become due. */
async function endSubscriptions(shop: Shop, process: Process): Promise<void> {
  const { ground, environment, world } = shop;
  world.nowMs += 86_400_000;
  while (!(await runBilling(shop, process))) world.nowMs += 61_000;
  const running = await ground.monitor<{ id: string }[]>`
    select id from subscriptions where environment_id = ${environment.id} and ended_at is null`;
  for (const { id } of running) {
    const ask = { what: "billing", verb: "cancel", target: encodeId("subscription", id) } as const;
    await shop.calmly("cancels", process, (service) => callBilling(shop.call(service, "cancelSubscription"), ask, {}));
  }
  world.nowMs += 400 * 86_400_000;
  if (!(await runBilling(shop, process))) world.violate("something is due for subscriptions that have ended");
}

async function checkStatusAsStaff(shop: Shop, process: Process, operationId: string): Promise<void> {
  shop.world.sometimes("staff resolve an operation of the day before");
  await shop.calmly("staff", process, (service) => {
    const call = { service, staff: { userId: shop.ground.staffId }, request: { id: newId(), path: "/support" } };
    return checkStatus(call, { operationId });
  });
}

/** Clients without a response retry until they get a final one. */
async function askTheRest(shop: Shop, load: Load, process: Process): Promise<void> {
  for (const [key, ask] of load.open) {
    for (let tries = 0; load.open.has(key); tries++) {
      if (tries > 10) throw new Error(`${ask.what} ${key} gets no final response`);
      const answer = await shop.calmly("client", process, () => shop.ask(ask));
      if (answer && isFinal(answer)) load.open.delete(key);
      else if (answer?.status === 409 && answer.code === "outcome_pending") break;
      else shop.world.nowMs += 12_000;
    }
  }
}

/**
 * Moves time past the end of every hold (over a week), so that a world leaves nothing behind for the next
 * one.
 */
async function endTheWorld(shop: Shop): Promise<void> {
  const { world } = shop;
  const process = shop.living[0] ?? shop.start();
  if (shop.parts.has("billing")) await endSubscriptions(shop, process);
  if (shop.parts.has("disputes")) await endDisputes(shop, process);
  for (let round = 0; round < 5; round++) {
    world.nowMs += 8 * 86_400_000;
    if ((await shop.calmly("expiry", process, expirePayments)) > 0) world.sometimes("an authorization expires");
    await shop.calmly("recovery", process, recoverOperations);
    await shop.calmly("reports", process, processReports);
    const [row] = await shop.ground.monitor<{ count: number }[]>`
      select count(*)::int as count from payments
      where environment_id = ${shop.environment.id} and status in ('PENDING', 'AUTHORIZED', 'REQUIRES_ACTION')`;
    if (row?.count === 0) return checkExpiredSessions(shop, process);
  }
  world.violate("payments are still held after a week");
}

/** Lets every deadline pass, so that each bank has decided, and pays out what is left. */
async function endDisputes(shop: Shop, process: Process): Promise<void> {
  for (let round = 0; round < 4; round++) {
    shop.world.nowMs += 8 * 86_400_000;
    await shop.calmly("notices", process, (service) => notifyOfDisputes(service, shop.environment.id));
    await shop.calmly("reports", process, processReports);
    await shop.calmly("responses", process, finishResponses);
    await shop.calmly("night", process, (service) => settleAndPayOut(shop, service));
  }
}

/** All sessions still open are past their expiry here; each merchant must be notified exactly once. */
async function checkExpiredSessions(shop: Shop, process: Process): Promise<void> {
  await shop.calmly("expired sessions", process, emitExpiredSessions);
  const untold = await shop.ground.monitor`
    select id from client_sessions s where environment_id = ${shop.environment.id} and status = 'OPEN' and 1 <> (
      select count(*) from events e
      where e.environment_id = s.environment_id and e.object_id = s.id and e.type = 'client_session.expired')`;
  if (untold.length > 0) shop.world.violate(`${untold.length} expired sessions do not have exactly one event`);
}
