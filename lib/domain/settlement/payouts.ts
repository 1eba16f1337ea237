import type { Transaction } from "@/db/client";
import {
  type AvailableBatch,
  endPayout,
  findBankAccount,
  insertPayout,
  listDuePayouts,
  listGroupsToPayOut,
  lockAvailableBatches,
  markSent,
  releaseBatches,
} from "@/db/queries/settlement/payouts";
import { insertOwnLedgerLine, insertSettlementAudit } from "@/db/queries/settlement/settle";
import { isCanceled } from "@/db/refusals";
import type { ActorRecord } from "@/db/schema/operations";
import type { PayoutRow } from "@/db/schema/payouts";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { FAILING_LAST4, TEST_BANK_ACCOUNT } from "@/lib/contract/settlement/payout";
import { newId } from "@/lib/ids";
import type { Service } from "../context";

const ARRIVES_AFTER_SECONDS = 86_400;
const FAILURE_REASON = "The bank has no account with this number.";
/** Payouts taken forward in one go. */
const BATCH = 100;

const SYSTEM: ActorRecord = { type: "system", id: null };

/**
 * Sends the payouts that are made, ends those whose day has come, and makes those of what was settled. Each step is one commit
 * behind a guard, so a process may die at any moment and any number of them may run it. Returns how many steps it took.
 */
export async function runPayouts(service: Service, stopping?: AbortSignal): Promise<number> {
  let steps = 0;
  const attempt = async (subject: object, step: () => Promise<number>) => {
    if (stopping?.aborted) return;
    try {
      steps += await step();
    } catch (error) {
      // One that fails is left for the next time, and does not hold up the others.
      if (isDatabaseUnavailable(error) && !isCanceled(error)) throw error;
      service.log.error({ err: error, ...subject }, "a payout could not be taken forward");
    }
  };
  for (const due of await listDuePayouts(service.db.sql, BATCH)) {
    await attempt(due, () => (due.status === "PENDING" ? send(service, due) : end(service, due)));
  }
  for (const group of await listGroupsToPayOut(service.db.sql)) {
    await attempt(group, () => payOutGroup(service, group));
  }
  return steps;
}

/**
 * Which payouts a group's available batches make: one for each batch that was in none yet. A batch that takes more than it
 * brings is carried into the next one, or into those before it when none follows: no more is paid out than is available. What a
 * failed payout returned goes with the first. Batches are in id order.
 */
export function payoutsOf(batches: readonly AvailableBatch[]): AvailableBatch[][] {
  const payouts: AvailableBatch[][] = [];
  let next: AvailableBatch[] = [];
  const failed = batches.filter((batch) => batch.payout_failed);
  const fresh = batches.filter((batch) => !batch.payout_failed);
  for (const batch of [...failed, ...fresh]) {
    // Above it numbers are no longer exact.
    const isFull = sumOf(next) + batch.net_amount > Number.MAX_SAFE_INTEGER;
    if (isFull) payouts.push(next);
    next = isFull ? [batch] : [...next, batch];
    if (batch.payout_failed || sumOf(next) <= 0) continue;
    payouts.push(next);
    next = [];
  }
  while (sumOf(next) < 0 && payouts.length > 0) {
    next = [...(payouts.pop() ?? []), ...next];
    if (sumOf(next) <= 0) continue;
    payouts.push(next);
    next = [];
  }
  return payouts;
}

export const sumOf = (batches: readonly AvailableBatch[]): number =>
  batches.reduce((total, { net_amount }) => total + net_amount, 0);

type Group = { environment_id: string; currency: string };

async function payOutGroup(service: Service, { environment_id: environmentId, currency }: Group): Promise<number> {
  return await service.db.sql.begin(async (tx) => {
    const groups = payoutsOf(await lockAvailableBatches(tx, environmentId, currency));
    for (const batches of groups) {
      const payout = await makePayout(tx, environmentId, { currency, batches });
      await audit(tx, payout, "payout.create");
    }
    return groups.length;
  });
}

/** Puts available batches, which are locked, into a payout. Their sum is above 0. */
export async function makePayout(
  tx: Transaction,
  environmentId: string,
  input: { currency: string; batches: readonly AvailableBatch[] },
): Promise<PayoutRow> {
  const { bank_name, country, last4 } = (await findBankAccount(tx, environmentId)) ?? TEST_BANK_ACCOUNT;
  const payout = await insertPayout(tx, environmentId, {
    id: newId(),
    currency: input.currency,
    amount: sumOf(input.batches),
    batchIds: input.batches.map(({ id }) => id).sort(),
    ...{ bank_name, bank_country: country, bank_last4: last4 },
    arrivesAfterSeconds: ARRIVES_AFTER_SECONDS,
  });
  await move(tx, payout, { line: 1, debit: "merchant_available", credit: "merchant_in_payout" });
  return payout;
}

type Due = { environment_id: string; id: string };

async function send(service: Service, { environment_id: environmentId, id }: Due): Promise<number> {
  return await service.db.sql.begin(async (tx) => {
    const sent = await markSent(tx, environmentId, { id, arrivesAfterSeconds: ARRIVES_AFTER_SECONDS });
    if (!sent) return 0;
    await audit(tx, { environment_id: environmentId, id }, "payout.sent");
    return 1;
  });
}

/** The bank takes it, or its money comes back. Both are line 2, so the ledger has room for one of them. */
async function end(service: Service, { environment_id: environmentId, id }: Due): Promise<number> {
  return await service.db.sql.begin(async (tx) => {
    const ended = await endPayout(tx, environmentId, {
      id,
      failingLast4: FAILING_LAST4,
      failureReason: FAILURE_REASON,
    });
    if (!ended) return 0;
    if (ended.status === "PAID") {
      await move(tx, ended, { line: 2, debit: "merchant_in_payout", credit: "bank" });
      await audit(tx, ended, "payout.paid");
    } else {
      await releaseBatches(tx, environmentId, id);
      await move(tx, ended, { line: 2, debit: "merchant_in_payout", credit: "merchant_available" });
      await audit(tx, ended, "payout.failed");
    }
    return 1;
  });
}

type Move = Pick<Parameters<typeof insertOwnLedgerLine>[2], "line" | "debit" | "credit">;

const move = (tx: Transaction, { environment_id, id, amount, currency }: PayoutRow, line: Move) =>
  insertOwnLedgerLine(tx, environment_id, { of: id, amount, currency, ...line });

const audit = (tx: Transaction, payout: Pick<PayoutRow, "environment_id" | "id">, action: string) =>
  insertSettlementAudit(tx, payout.environment_id, { id: newId(), actor: SYSTEM, action, objectId: payout.id });
