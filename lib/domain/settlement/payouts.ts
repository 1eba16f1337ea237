import type { Orm, Transaction } from "@/db/client";
import { lockSettings } from "@/db/queries/approvals";
import { listMovementsOfPayout } from "@/db/queries/settlement/dispute-movements";
import {
  type Available,
  countPayouts,
  endPayout,
  findBankAccount,
  findPayout,
  insertPayout,
  listDuePayouts,
  listGroupsToPayOut,
  lockAvailable,
  markSent,
  nextPayoutEvent,
  openPayoutExport,
  readPayoutTime,
  releaseContents,
  listPayouts as selectPayouts,
  storeBankAccount,
} from "@/db/queries/settlement/payouts";
import { insertOwnLedgerLine, insertSettlementAudit, insertSettlementEvents } from "@/db/queries/settlement/settle";
import { isCanceled } from "@/db/refusals";
import { SYSTEM } from "@/db/schema/operations";
import type { PayoutRow } from "@/db/schema/payouts";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { AppError } from "@/lib/contract/errors";
import type { EventTypeOf } from "@/lib/contract/events/event";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId, encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import type { ListPayoutsQuery } from "@/lib/contract/settlement/endpoints";
import {
  type BankAccount,
  compactAccountNumber,
  FAILING_LAST4,
  type Payout,
  TEST_BANK_ACCOUNT,
  type UpdateBankAccountBody,
} from "@/lib/contract/settlement/payout";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";
import { newId } from "@/lib/ids";
import { closeEndedRequest } from "../approvals/requests";
import { requireAlone } from "../approvals/rules";
import { type Context, resourceNotFound, type Service } from "../context";
import { openWhole } from "../cursor-list";
import { newEvent, recordAct } from "../events/event";
import { type ListResult, presentList, toMillisecondRange, unknownCursor } from "../lists";
import { bankDayAfter } from "./bank-days";

/** One payout. Throws `resource_not_found` for unknown, malformed and foreign ids alike. */
export async function getPayout(ctx: Context, input: { id: string }): Promise<Payout> {
  const row = await findRow(ctx, input.id);
  if (!row) throw resourceNotFound("payout", input.id);
  return presentPayout(row, ctx.environment.mode);
}

async function findRow(ctx: Context, publicId: string): Promise<PayoutRow | null> {
  const id = decodeId("payout", publicId);
  return id === null ? null : findPayout(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id);
}

/** Newest first. Throws `invalid_parameter` if `starting_after` is not a payout of this environment. */
export async function listPayouts(ctx: Context, query: ListPayoutsQuery): Promise<ListResult<Payout>> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const { limit = 20, offset = 0, starting_after } = query;
  const after = starting_after === undefined ? null : await findRow(ctx, starting_after);
  if (starting_after !== undefined && !after) throw unknownCursor("payout", starting_after);
  const filter = filterOf(query);
  const [rows, total] = await Promise.all([
    selectPayouts(sql, ctx.environment.id, filter, { limit: limit + 1, offset, afterId: after?.id ?? null }),
    countPayouts(sql, ctx.environment.id, filter, TOTAL_CAP + 1),
  ]);
  const data = rows.slice(0, limit).map((row) => presentPayout(row, ctx.environment.mode));
  return presentList(data, { hasMore: rows.length > limit, total }, limit, offset);
}

function filterOf({ currency, status, created_after, created_before }: ListPayoutsQuery) {
  const { gte, lt } = toMillisecondRange({ after: created_after, before: created_before });
  return { currency, status, from: gte, before: lt };
}

/** Everything that the query matches, in one snapshot. `close` must be called. */
export const exportPayouts = (ctx: Context, query: ListPayoutsQuery) =>
  openWhole(ctx, filterOf(query), openPayoutExport, (rows) =>
    rows.map((row) => presentPayout(row, ctx.environment.mode)),
  );

export function presentPayout(row: PayoutRow, mode: Mode): Payout {
  return {
    id: encodeId("payout", row.id),
    object: "payout",
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    arrival_date: row.arrival_date,
    settlement_batch_ids: row.settlement_batch_ids.map((id) => encodeId("settlementBatch", id)),
    dispute_amount: row.dispute_amount,
    failure_reason: row.failure_reason,
    bank_account: { bank_name: row.bank_name, country: row.bank_country, last4: row.bank_last4 },
    environment: API_ENVIRONMENTS[mode],
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** A dispute's effect on a payout: amount and fee are negative where they lowered it. */
export type DisputeOfPayout = {
  dispute_id: string;
  amount: number;
  fee: number;
  created_at: string;
  /** The payout that pays or owes it now; null after a failed one until the next. */
  payout_id: string | null;
};

/** A payout's disputes, oldest first. */
export async function listDisputesOfPayout(ctx: Context, payout: Pick<Payout, "id">): Promise<DisputeOfPayout[]> {
  const row = await findRow(ctx, payout.id);
  if (!row) throw resourceNotFound("payout", payout.id);
  const { id } = ctx.environment;
  const movements = await listMovementsOfPayout(ctx.service.db.within(id).sql, id, row.dispute_movement_ids);
  return movements.map(({ dispute_id, amount, fee, created_at, payout_id }) => ({
    dispute_id: encodeId("dispute", dispute_id),
    amount,
    fee,
    created_at,
    payout_id: encodeIdOrNull("payout", payout_id),
  }));
}

/**
 * Bank account for payouts. Until the merchant sets one: a test account in the sandbox, null in live mode.
 */
export async function getBankAccount(ctx: Context): Promise<BankAccount | null> {
  const row = await findBankAccount(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id);
  if (row === null) return ctx.environment.mode === "test" ? TEST_BANK_ACCOUNT : null;
  const { holder, bank_name, country, last4 } = row;
  return { holder, bank_name, country, last4 };
}

/** The account as stored: only the number's last digits are. */
export const destinationOf = ({ holder, bank_name, country, account_number }: UpdateBankAccountBody): BankAccount => ({
  holder,
  bank_name,
  country,
  last4: compactAccountNumber(account_number).slice(-4),
});

/** Sets the bank account for new payouts; those in transit keep theirs. */
export async function updateBankAccount(ctx: Context, input: UpdateBankAccountBody): Promise<BankAccount> {
  const account = destinationOf(input);
  await ctx.service.db.within(ctx.environment.id).orm.transaction(async (tx) => {
    await lockSettings(tx, ctx.environment.id);
    await requireAlone(ctx, "BANK_ACCOUNT", tx);
    await applyBankAccount(ctx, tx, account);
  });
  return account;
}

/** Stores the account under `lockSettings`. `detail`: stored in the audit log. */
export async function applyBankAccount(
  ctx: Context,
  tx: Orm,
  account: BankAccount,
  detail: Record<string, unknown> | null = null,
): Promise<void> {
  const { id } = ctx.environment;
  await storeBankAccount(tx, id, account);
  await recordAct(ctx, tx, "settings.bank_account_updated", id, detail);
  await closeEndedRequest(ctx, tx, { action: "BANK_ACCOUNT", subject_id: id });
}

/**
 * Pays out what a failed payout returned, together with other available
 * money in its currency. Throws `invalid_state` if it did not fail, its
 * money is already in another payout, or refunds and disputes exceed the available money.
 */
export async function retryPayout(ctx: Context, input: { id: string }): Promise<Payout> {
  const environmentId = ctx.environment.id;
  const id = decodeId("payout", input.id);
  return await ctx.service.db.sql.begin(async (tx) => {
    const failed = id === null ? null : await findPayout(tx, environmentId, id);
    if (failed === null) throw resourceNotFound("payout", input.id);
    const refuse = (detail: string) =>
      new AppError("invalid_state", detail, { extra: { current_status: failed.status, allowed_actions: [] } });
    if (failed.status !== "FAILED") throw refuse("Only a payout that failed can be retried.");
    const available = await lockAvailable(tx, environmentId, failed.currency);
    const ids = new Set(available.map((each) => each.id));
    if (![...failed.settlement_batch_ids, ...failed.dispute_movement_ids].every((each) => ids.has(each))) {
      throw refuse("This money is already in a later payout. Check your latest payouts.");
    }
    if (sumOf(available) <= 0) {
      throw refuse(
        `Refunds and disputes used up the available ${failed.currency}. The next settlement pays out once there is more.`,
      );
    }
    const payout = await makePayout(tx, environmentId, { currency: failed.currency, available });
    await record(ctx, tx, "settings.payout_retried", payout.id);
    return presentPayout(payout, ctx.environment.mode);
  });
}

const record = ({ actor, environment, request }: Context, tx: Transaction, action: string, objectId: string) =>
  insertSettlementAudit(tx, environment.id, { id: newId(), actor, action, objectId, requestId: request.id });

const FAILURE_REASON = "The bank has no account with this number.";
/** Payouts per query. */
const BATCH = 100;
/** New payouts in one commit, which holds the locks of all its currency's available batches. */
export const MAX_NEW_PAYOUTS = 20;

/**
 * Sends created payouts, completes those that are due, and creates new ones from settled batches and won
 * disputes. Each commit is complete and behind a guard, so it is safe to crash and to run concurrently. Returns
 * the number of steps.
 */
export function runPayouts(service: Service, stopping?: AbortSignal): Promise<number> {
  return runPayoutsOf(service, null, stopping);
}

/** The same for one environment, by its own time. */
export async function runPayoutsOf(
  service: Service,
  environmentId: string | null,
  stopping?: AbortSignal,
): Promise<number> {
  let steps = 0;
  const attempt = async (subject: object, step: () => Promise<number>): Promise<number> => {
    if (stopping?.aborted) return 0;
    try {
      const done = await step();
      steps += done;
      return done;
    } catch (error) {
      // A failed one is retried in the next run, and does not block the others.
      if (isDatabaseUnavailable(error) && !isCanceled(error)) throw error;
      service.log.error({ err: error, ...subject }, "a payout could not be advanced");
      return 0;
    }
  };
  let due = await listDuePayouts(service.db.sql, null, BATCH, environmentId);
  while (due.length > 0) {
    for (const payout of due)
      await attempt(payout, () => (payout.status === "PENDING" ? send(service, payout) : end(service, payout)));
    due = await listDuePayouts(service.db.sql, due.at(-1) ?? null, BATCH, environmentId);
  }
  for (const group of await listGroupsToPayOut(service.db.sql, environmentId)) {
    while ((await attempt(group, () => payOutNext(service, group))) === MAX_NEW_PAYOUTS);
  }
  return steps;
}

/**
 * Groups available batches and disputes' movements into payouts, one for each new positive entry.
 * A negative entry joins the next payout, or the previous ones at the end, so that no more is paid out than is
 * available. Entries from a failed payout join the first. They are in id order.
 */
export function payoutsOf(available: readonly Available[]): Available[][] {
  const payouts: Available[][] = [];
  let next: Available[] = [];
  const failed = available.filter((each) => each.payout_failed);
  const fresh = available.filter((each) => !each.payout_failed);
  for (const each of [...failed, ...fresh]) {
    // Larger numbers are not exact.
    const isFull = sumOf(next) + each.net_amount > Number.MAX_SAFE_INTEGER;
    if (isFull) payouts.push(next);
    next = isFull ? [each] : [...next, each];
    if (each.payout_failed || sumOf(next) <= 0) continue;
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

export const sumOf = (available: readonly Available[]): number =>
  available.reduce((total, { net_amount }) => total + net_amount, 0);

type Group = { environment_id: string; currency: string };

/**
 * Creates the next payouts of a group in one commit. Each commit groups all that is available then: a negative
 * batch that came after the previous one is deducted, too.
 */
async function payOutNext(service: Service, { environment_id: environmentId, currency }: Group): Promise<number> {
  return await service.db.sql.begin(async (tx) => {
    const next = payoutsOf(await lockAvailable(tx, environmentId, currency)).slice(0, MAX_NEW_PAYOUTS);
    for (const available of next) {
      const payout = await makePayout(tx, environmentId, { currency, available });
      await audit(tx, payout, "payout.create");
    }
    return next.length;
  });
}

/** Puts locked available money with a positive sum into a payout. */
async function makePayout(
  tx: Transaction,
  environmentId: string,
  input: { currency: string; available: readonly Available[] },
): Promise<PayoutRow> {
  const { bank_name, country, last4 } = (await findBankAccount(tx, environmentId)) ?? TEST_BANK_ACCOUNT;
  const at = await readPayoutTime(tx, environmentId);
  const ofKind = (kind: Available["kind"]) => input.available.filter((each) => each.kind === kind);
  const idsOf = (kind: Available["kind"]) =>
    ofKind(kind)
      .map(({ id }) => id)
      .sort();
  const payout = await insertPayout(tx, environmentId, {
    id: newId(),
    currency: input.currency,
    amount: sumOf(input.available),
    batchIds: idsOf("batch"),
    movementIds: idsOf("dispute"),
    disputeAmount: sumOf(ofKind("dispute")),
    bank_name,
    bank_country: country,
    bank_last4: last4,
    arrival_date: bankDayAfter(at.slice(0, 10), input.currency),
    at,
  });
  await move(tx, payout, { line: 1, debit: "merchant_available", credit: "merchant_in_payout" });
  await emit(tx, payout, "payout.created", null);
  return payout;
}

type Due = { environment_id: string; id: string };

async function send(service: Service, { environment_id: environmentId, id }: Due): Promise<number> {
  return await service.db.sql.begin(async (tx) => {
    const sent = await markSent(tx, environmentId, id);
    if (!sent) return 0;
    await audit(tx, { environment_id: environmentId, id }, "payout.sent");
    return 1;
  });
}

/**
 * The bank accepts the payout, or its money returns. Both are ledger line 2, so only one of them can be
 * booked.
 */
async function end(service: Service, { environment_id: environmentId, id }: Due): Promise<number> {
  return await service.db.sql.begin(async (tx) => {
    const ended = await endPayout(tx, environmentId, {
      id,
      failingLast4: FAILING_LAST4,
      failureReason: FAILURE_REASON,
    });
    if (!ended) return 0;
    const before = { status: "IN_TRANSIT", updated_at: ended.changed_at } as const;
    if (ended.status === "PAID") {
      await move(tx, ended, { line: 2, debit: "merchant_in_payout", credit: "bank" });
      await emit(tx, ended, "payout.paid", before);
      await audit(tx, ended, "payout.paid");
    } else {
      await releaseContents(tx, environmentId, id);
      await move(tx, ended, { line: 2, debit: "merchant_in_payout", credit: "merchant_available" });
      await emit(tx, ended, "payout.failed", { ...before, failure_reason: null });
      await audit(tx, ended, "payout.failed");
    }
    return 1;
  });
}

type Move = Pick<Parameters<typeof insertOwnLedgerLine>[2], "line" | "debit" | "credit">;

const move = (tx: Transaction, { environment_id, id, amount, currency, updated_at: at }: PayoutRow, line: Move) =>
  insertOwnLedgerLine(tx, environment_id, { of: id, amount, currency, at, ...line });

/** The event is in test mode, as every payout is. A payout older than events has none for its creation. */
async function emit(
  tx: Transaction,
  payout: PayoutRow,
  type: EventTypeOf<"payout">,
  previous: Partial<Payout> | null,
): Promise<void> {
  const { environment_id, id, updated_at } = payout;
  const sequence = await nextPayoutEvent(tx, environment_id, id);
  const data = { object: presentPayout(payout, "test"), previous: sequence === 1 ? null : previous };
  const event = newEvent(type, { objectId: id, operationId: null }, data, updated_at);
  await insertSettlementEvents(tx, environment_id, [{ ...event, sequence }]);
}

const audit = (tx: Transaction, payout: Pick<PayoutRow, "environment_id" | "id">, action: string) =>
  insertSettlementAudit(tx, payout.environment_id, { id: newId(), actor: SYSTEM, action, objectId: payout.id });
