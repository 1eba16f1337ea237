import type { Sql } from "@/db/client";
import { nextSubscriptionDue } from "@/db/queries/subscriptions/due";
import {
  isSettlementDue,
  nextAbandonment,
  nextExpiry,
  nextPayoutStep,
  nextSessionEnd,
  nextSettlement,
} from "@/db/queries/test-clock";
import { emitExpiredSessionsIn } from "../checkout/expire-sessions";
import type { Service } from "../context";
import { nextNoticeIn, notifyOfDisputes } from "../disputes/dispute-mails";
import { announceExpiringIn, nextAnnouncement } from "../payment-methods/expiring-cards";
import { endAbandonedIn, expireAuthorizationsIn } from "../payments/expire-payments";
import { CHALLENGE_MINUTES } from "../payments/outcome";
import { actInEnvironment, nextActIn } from "../payments/process-reports";
import { runPayoutsOf } from "../settlement/payouts";
import { runSettlement, SETTLEMENT_HOUR } from "../settlement/settle";
import { runSubscriptions } from "../subscriptions/engine";

/** Work that becomes due with the time of a test environment. */
export type Topic = {
  readonly name: string;
  /**
   * The earliest instant later than `after` at which something becomes due; null = nothing will. With
   * "-infinity" for `after`, work that is already due counts, too.
   */
  nextDue(sql: Sql, environmentId: string, after: string, service: Service): Promise<string | null>;
  /**
   * Does what is due by the environment's time. Guarded, so that any number of processes may run it. Returns
   * the number of items done; called again until that is 0.
   */
  run(service: Service, environmentId: string, stopping?: AbortSignal): Promise<number>;
};

/** In the order in which they happen at one instant. */
export const TOPICS: readonly Topic[] = [
  { name: "authorizations that expire", nextDue: nextExpiry, run: expireAuthorizationsIn },
  {
    name: "challenges that were abandoned",
    nextDue: (sql, environmentId, after) => nextAbandonment(sql, environmentId, after, CHALLENGE_MINUTES),
    run: endAbandonedIn,
  },
  {
    name: "client sessions that expire",
    nextDue: nextSessionEnd,
    run: (service, id) => emitExpiredSessionsIn(service, { id, mode: "test" }),
  },
  { name: "cards that expire", nextDue: nextAnnouncement, run: announceExpiringIn },
  {
    name: "subscriptions and their invoices",
    nextDue: nextSubscriptionDue,
    run: (service, environmentId, stopping) => runSubscriptions(service, stopping, environmentId),
  },
  {
    name: "deadlines of disputes",
    nextDue: nextNoticeIn,
    run: (service, environmentId) => notifyOfDisputes(service, environmentId),
  },
  {
    name: "disputes at the sandbox's banks",
    nextDue: (_sql, environmentId, after, service) => nextActIn(service, environmentId, after),
    run: actInEnvironment,
  },
  // One topic, because a settlement's payout has no time of its own.
  { name: "settlement and payouts", nextDue: nextSettlementOrPayout, run: settleAndPayOut },
];

async function nextSettlementOrPayout(sql: Sql, environmentId: string, after: string): Promise<string | null> {
  const [settlement, payout] = await Promise.all([
    nextSettlement(sql, environmentId, after, SETTLEMENT_HOUR),
    nextPayoutStep(sql, environmentId, after),
  ]);
  return settlement === null || (payout !== null && payout < settlement) ? payout : settlement;
}

async function settleAndPayOut(service: Service, environmentId: string, stopping?: AbortSignal): Promise<number> {
  const settled = await settleIfDue(service, environmentId, stopping);
  return settled + (await runPayoutsOf(service, environmentId, stopping));
}

async function settleIfDue(service: Service, environmentId: string, stopping?: AbortSignal): Promise<number> {
  const { sql } = service.db.within(environmentId);
  if (!(await isSettlementDue(sql, environmentId, SETTLEMENT_HOUR))) return 0;
  const batches = await runSettlement(service, { environmentId, ...(stopping && { signal: stopping }) });
  return batches.length;
}
