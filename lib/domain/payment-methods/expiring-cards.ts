import type { Sql } from "@/db/client";
import { findEnvironment } from "@/db/queries/accounts/merchants";
import { readClock, readClockIn } from "@/db/queries/clock";
import { listExpiring, lockPaymentMethod, nextExpiring, updateStoredCard } from "@/db/queries/payment-methods";
import { queueMail } from "@/db/queries/subscriptions/mails";
import { SYSTEM } from "@/db/schema/operations";
import type { PaymentMethodRow } from "@/db/schema/payment-methods";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { clockTime, type Service } from "../context";
import { changedMembers, recordChangeBy } from "../events/event";
import { monthOf, presentPaymentMethod } from "./stored-card";

const BATCH = 100;

/**
 * Job that announces the cards whose last month has begun, in all environments. Months are UTC's. Guarded, so
 * that any number of processes may run it. Returns the number done.
 */
export async function announceExpiring(service: Service, stopping?: AbortSignal): Promise<number> {
  return announce(service, { month: monthOf(service.clock.now()), environmentId: null }, stopping);
}

/** The same for one environment, by its clock. */
export async function announceExpiringIn(
  service: Service,
  environmentId: string,
  stopping?: AbortSignal,
): Promise<number> {
  const clock = await readClock(service.db.within(environmentId).sql, environmentId);
  return announce(service, { month: monthOf(clockTime(service.clock, clock)), environmentId }, stopping);
}

/** When the environment's next card must be announced, after a time; "-infinity" is before every month. */
export const nextAnnouncement = (sql: Sql, environmentId: string, after: string): Promise<string | null> =>
  nextExpiring(sql, environmentId, after === "-infinity" ? -1 : monthOf(new Date(after)));

async function announce(
  service: Service,
  due: { month: number; environmentId: string | null },
  stopping: AbortSignal | undefined,
): Promise<number> {
  const orm = due.environmentId === null ? service.db.orm : service.db.within(due.environmentId).orm;
  let done = 0;
  const failures: unknown[] = [];
  for (const card of await listExpiring(orm, { ...due, limit: BATCH })) {
    if (stopping?.aborted) break;
    try {
      await announceCard(service, card);
      done++;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      failures.push(error);
      service.log.error({ err: error, payment_method: card.id }, "an expiring card could not be announced");
    }
  }
  // A test clock stops at what can't be done; elsewhere the next run repeats it.
  if (due.environmentId !== null && failures.length > 0) throw failures[0];
  return done;
}

const lastMonthOf = ({ card_exp_year, card_exp_month }: PaymentMethodRow): number =>
  (card_exp_year ?? 0) * 12 + (card_exp_month ?? 0) - 1;

async function announceCard(
  service: Service,
  { environment_id: environmentId, id }: { environment_id: string; id: string },
): Promise<void> {
  const { orm } = service.db.within(environmentId);
  const environment = await findEnvironment(orm, environmentId);
  if (environment === null) throw new Error(`environment ${environmentId} is gone`);
  await orm.transaction(async (tx) => {
    const row = await lockPaymentMethod(tx, environmentId, id);
    if (row === null || row.removed_at !== null || row.expiry_announced) return;
    const clock = await readClockIn(tx, environmentId);
    const now = clockTime(service.clock, clock);
    // It was renewed in the meantime.
    if (lastMonthOf(row) > monthOf(now)) return;
    const isOver = lastMonthOf(row) < monthOf(now);
    const updated_at = isOver ? row.updated_at : now.toISOString();
    const after = await updateStoredCard(tx, environmentId, id, { expiry_announced: true, updated_at });
    // Its month ended while no process ran.
    if (isOver) return;
    const { mode } = environment;
    const before = presentPaymentMethod(row, mode, now);
    const object = presentPaymentMethod(after, mode, now);
    const type = "payment_method.expiring";
    const by = { environmentId, actor: SYSTEM, requestId: null, now: service.clock.now(), clock };
    const data = { object, previous: changedMembers(before, object) };
    const event = await recordChangeBy(by, tx, { type, action: type, objectId: id, data });
    await queueMail(tx, environmentId, { id: event.id, type });
  });
}
