import type { Transaction } from "@/db/client";
import { findPaymentsById, type PaymentSnapshot } from "@/db/queries/payments/payments";
import { adoptServiceSetting, storeServiceSetting } from "@/db/queries/service/settings";
import {
  findLastNight,
  insertOwnLedgerLine,
  insertSettlementAudit,
  insertSettlementBatch,
  insertSettlementEvents,
  listUnsettledAfter,
  listUnsettledGroups,
  listUnsettledOfPayments,
  lockPaymentsInOrder,
  markPaymentsSettled,
  markReversed,
  markSettled,
  measurePayments,
  type SettlementBatchRow,
  sumFees,
  type UnsettledItem,
} from "@/db/queries/settlement/settle";
import type { NumberedEvent } from "@/db/schema/events";
import { SYSTEM } from "@/db/schema/operations";
import { isDatabaseUnavailable } from "@/db/unavailable";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Service } from "@/lib/domain/context";
import { forgetTotals } from "@/lib/domain/lists";
import { BEFORE_ALL, idAt, newId } from "@/lib/ids";
import { newEvent, paymentData, transactionData } from "../events/event";
import { presentSettlementBatch } from "./read-batches";

/** One batch: one environment, one currency, at most one chunk of payments. Amounts in minor units. */
export type BatchSummary = SettlementBatchRow;

/** Target duration of a chunk, which is one commit: refunds of its payments wait for their locks. */
const CHUNK_MS = 250;
/** Transactions in a chunk. */
const FIRST_CHUNK = 50;
const MAX_CHUNK = 1_000;

/** Size of the next chunk in transactions, after a chunk of `size` took `tookMs`. */
export const nextChunk = (size: number, tookMs: number): number =>
  Math.max(1, Math.min(MAX_CHUNK, 2 * size, Math.floor((size * CHUNK_MS) / Math.max(1, tookMs))));

type SettlementInput = {
  /** Settles only this environment; all if omitted. */
  environmentId?: string;
  /** Fixed number of transactions per chunk, whatever the time it takes. */
  chunkSize?: number;
  /** Checked between chunks: stops, and leaves the rest to the next run. */
  signal?: AbortSignal;
};

/**
 * Settles captured charges and accepted refunds that are unsettled, and reverses settled
 * refunds that failed (UNSETTLED in db/queries/settlement). Each chunk is a batch and a
 * commit of its own, so a killed run loses nothing, and runs may be concurrent.
 */
export async function runSettlement(service: Service, input: SettlementInput = {}): Promise<BatchSummary[]> {
  const batches: BatchSummary[] = [];
  // Groups are settled a chunk at a time, round-robin, so that small ones don't wait for the largest.
  let groups = (await listUnsettledGroups(service.db, input.environmentId ?? null)).map((group) => ({
    ...group,
    afterId: BEFORE_ALL,
    limit: input.chunkSize ?? FIRST_CHUNK,
  }));
  const failures: unknown[] = [];
  while (groups.length > 0) {
    const unfinished: typeof groups = [];
    for (const group of groups) {
      if (input.signal?.aborted) return batches;
      try {
        const startedMs = service.timer.elapsedMs();
        const chunk = await settleChunk(service, group).finally(() => forgetTotals(group.environment_id));
        const limit = input.chunkSize ?? nextChunk(group.limit, service.timer.elapsedMs() - startedMs);
        if (chunk.batch) batches.push(chunk.batch);
        // The position only moves forward, so a run ends even if payments keep arriving.
        if (chunk.lastId !== null) unfinished.push({ ...group, afterId: chunk.lastId, limit });
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        failures.push(error);
      }
    }
    groups = unfinished;
  }
  // Thrown after the others are settled: the run has failed and is repeated.
  if (failures.length > 0) throw failures[0];
  return batches;
}

type ChunkInput = { environment_id: string; currency: string; afterId: string; limit: number };

/** `lastId`: where the next chunk starts; null if nothing follows. */
type ChunkResult = { batch: SettlementBatchRow | null; lastId: string | null };

/**
 * Settles the next transactions of one environment and
 * currency in one commit; no batch if another run was faster.
 */
async function settleChunk(service: Service, input: ChunkInput): Promise<ChunkResult> {
  return await service.db.long.begin(async (tx) => {
    const candidates = await listUnsettledAfter(tx, input.environment_id, input);
    const lastId = candidates.at(-1)?.id ?? null;
    if (lastId === null) return { batch: null, lastId };
    const lockedIds = [...new Set(candidates.map((item) => item.payment_id))];
    const at = await lockPaymentsInOrder(tx, input.environment_id, lockedIds);
    const items = await listUnsettledOfPayments(tx, input.environment_id, lockedIds);
    if (items.length === 0) return { batch: null, lastId };
    const chargedPaymentIds = items.filter((item) => item.kind === "charge").map((item) => item.payment_id);
    const fees = await sumFees(tx, input.environment_id, chargedPaymentIds);
    const batch = batchOf(input, items, { fees, at });
    await writeBatch(tx, batch, items);
    return { batch, lastId };
  });
}

function batchOf(
  input: ChunkInput,
  items: UnsettledItem[],
  { fees, at }: { fees: number; at: string },
): SettlementBatchRow {
  const sum = (kind: UnsettledItem["kind"]) => {
    const ofKind = items.filter((item) => item.kind === kind);
    return { count: ofKind.length, amount: ofKind.reduce((total, item) => total + item.amount, 0) };
  };
  const charges = sum("charge");
  const refunds = sum("refund");
  const reversals = sum("reversal");
  return {
    environment_id: input.environment_id,
    id: idAt(new Date(at)),
    currency: input.currency,
    charge_count: charges.count,
    charge_amount: charges.amount,
    refund_count: refunds.count,
    refund_amount: refunds.amount,
    reversal_count: reversals.count,
    reversal_amount: reversals.amount,
    net_amount: charges.amount - refunds.amount + reversals.amount - fees,
    created_at: at,
  };
}

/**
 * Approximate size of payments' JSON written in one statement: hundreds of typical payments, or one with
 * hundreds of refunds. Their transactions' events are about as large again.
 */
const SLICE_BYTES = 500_000;

async function writeBatch(tx: Transaction, batch: SettlementBatchRow, items: UnsettledItem[]): Promise<void> {
  const environmentId = batch.environment_id;
  const mode = await insertSettlementBatch(tx, batch);
  await insertSettlementEvents(tx, environmentId, [batchEvent(batch, mode)]);
  for (const slice of await slicesOf(tx, environmentId, items)) await settleItems(tx, batch, mode, slice);
  await writeLedger(tx, batch);
  await insertSettlementAudit(tx, environmentId, {
    id: newId(),
    actor: SYSTEM,
    action: "settlement_batch.create",
    objectId: batch.id,
  });
}

/** Splits the items so that each part's events fit in memory; a payment's items stay together. */
async function slicesOf(tx: Transaction, environmentId: string, items: UnsettledItem[]): Promise<UnsettledItem[][]> {
  const lengths = await measurePayments(tx, environmentId, [...new Set(items.map((item) => item.payment_id))]);
  const sliceOf = new Map<string, number>();
  let [slice, bytes] = [0, 0];
  for (const { id, length } of lengths) {
    if (bytes > 0 && bytes + length > SLICE_BYTES) [slice, bytes] = [slice + 1, 0];
    bytes += length;
    sliceOf.set(id, slice);
  }
  const slices: UnsettledItem[][] = Array.from({ length: slice + 1 }, () => []);
  for (const item of items) slices[sliceOf.get(item.payment_id) ?? 0]?.push(item);
  return slices;
}

/** Marks charges, refunds and reversals as settled, and writes the events of charges and refunds. */
async function settleItems(tx: Transaction, batch: SettlementBatchRow, mode: Mode, items: UnsettledItem[]) {
  const environmentId = batch.environment_id;
  const idsOf = (reversals: boolean) =>
    items.filter((item) => (item.kind === "reversal") === reversals).map((item) => item.id);
  const settled = items.filter((item) => item.kind !== "reversal");
  const settledPaymentIds = [...new Set(settled.map((item) => item.payment_id))];
  const before = await findPaymentsById(tx, environmentId, settledPaymentIds);
  const mark = { batchId: batch.id, at: batch.created_at };
  const marked =
    (await markSettled(tx, environmentId, { ...mark, transactionIds: idsOf(false) })) +
    (await markReversed(tx, environmentId, { ...mark, transactionIds: idsOf(true) }));
  if (marked !== items.length) throw new Error(`settlement marked ${marked} of ${items.length} locked transactions`);
  await markPaymentsSettled(tx, environmentId, {
    at: batch.created_at,
    paymentIds: [...new Set(items.map((item) => item.payment_id))],
    chargedPaymentIds: settled.filter((item) => item.kind === "charge").map((item) => item.payment_id),
  });
  const after = await findPaymentsById(tx, environmentId, settledPaymentIds);
  const events = settled.flatMap((item) => {
    const change = { before: snapshotOf(before, item), after: snapshotOf(after, item) };
    // In id order, which puts the payment's event first.
    const ofPayment = item.kind === "charge" ? [settledEvent(batch, mode, change)] : [];
    return [...ofPayment, settledTransactionEvent(batch, mode, change, item)];
  });
  await insertSettlementEvents(tx, environmentId, events);
}

function snapshotOf(payments: Map<string, PaymentSnapshot>, { payment_id: id }: UnsettledItem): PaymentSnapshot {
  const snapshot = payments.get(id);
  if (!snapshot) throw new Error(`payment ${id} disappeared`);
  return snapshot;
}

/**
 * The processor pays out charges, deducts refunds, and returns refunds that failed later. The merchant's net
 * share moves from pending to available, or back if it is negative.
 */
async function writeLedger(tx: Transaction, batch: SettlementBatchRow): Promise<void> {
  const net = batch.net_amount;
  const lines = [
    { line: 1, debit: "bank", credit: "processor_receivable", amount: batch.charge_amount },
    { line: 2, debit: "processor_receivable", credit: "bank", amount: batch.refund_amount },
    { line: 3, debit: "bank", credit: "processor_receivable", amount: batch.reversal_amount },
    { line: 4, debit: "merchant_payable", credit: "merchant_available", amount: net },
    { line: 4, debit: "merchant_available", credit: "merchant_payable", amount: -net },
  ] as const;
  for (const line of lines.filter(({ amount }) => amount > 0)) {
    const { id: of, currency, created_at: at } = batch;
    await insertOwnLedgerLine(tx, batch.environment_id, { ...line, of, currency, at });
  }
}

function batchEvent(batch: SettlementBatchRow, mode: Mode): NumberedEvent {
  const object = presentSettlementBatch({ ...batch, payout_id: null }, mode);
  const about = { objectId: batch.id, operationId: batch.id };
  return { ...newEvent("settlement_batch.created", about, { object, previous: null }, batch.created_at), sequence: 1 };
}

type SettledPayment = { before: PaymentSnapshot; after: PaymentSnapshot };

function settledEvent(batch: SettlementBatchRow, mode: Mode, { before, after }: SettledPayment): NumberedEvent {
  const data = paymentData(before, after, mode);
  const about = { objectId: after.payment.id, operationId: batch.id };
  return { ...newEvent("payment.settled", about, data, batch.created_at), sequence: after.payment.event_sequence };
}

function settledTransactionEvent(
  batch: SettlementBatchRow,
  mode: Mode,
  { before, after }: SettledPayment,
  { id }: UnsettledItem,
): NumberedEvent {
  const shown = ({ payment, transactions }: PaymentSnapshot) => {
    const row = transactions.find((transaction) => transaction.id === id);
    if (!row) throw new Error(`payment ${payment.id} has no transaction ${id}`);
    return { row, payment };
  };
  const [was, is] = [shown(before), shown(after)];
  const sequence = is.row.event_sequence;
  const data = transactionData(sequence === 1 ? null : was, is, mode);
  const about = { objectId: id, operationId: batch.id };
  return { ...newEvent("transaction.settled", about, data, batch.created_at), sequence };
}

const LAST_NIGHT = "settled_through";
/** Hour of the day (UTC) after which the nightly settlement runs. */
export const SETTLEMENT_HOUR = 2;

/**
 * Runs the settlement once a night by the database's clock. Concurrent runs are harmless. The date is written
 * afterwards, so a killed run is repeated. Returns the number of batches.
 */
export async function settleNightly(service: Service): Promise<number> {
  const night = await findLastNight(service.db.sql, SETTLEMENT_HOUR);
  // A stored night after the last one was written with a clock running ahead, and proves nothing.
  if ((await adoptServiceSetting(service.db.orm, LAST_NIGHT, night)) === night) return 0;
  const batches = await runSettlement(service);
  await storeServiceSetting(service.db.orm, LAST_NIGHT, night);
  return batches.length;
}
