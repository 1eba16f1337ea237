import type { RefundReason } from "@/lib/contract/transactions/words";
import type { RequestRecord } from "./keyed-request";
import type { UnknownWhy } from "./money-attempt";
import { canRetry, type MoneyRecord } from "./money-record";

export type BulkRowState =
  | { step: "waiting" }
  | { step: "sending" }
  | { step: "refunded"; refundId: string }
  | { step: "refused"; detail: string }
  /** Refused for want of a second person: it can be requested. */
  | { step: "needs_approval"; detail: string }
  | { step: "requested"; requestId: string }
  | { step: "unknown"; why: UnknownWhy; notice: string | null }
  /** Never left this browser. */
  | { step: "not_sent"; detail: string };

export type BulkRow = {
  readonly paymentId: string;
  readonly chargeId: string;
  /** Minor units: the refundable amount when the dialog opened. */
  readonly amount: number;
  readonly currency: string;
  readonly card: string;
  readonly customer: string | null;
  /** Disputed when the dialog opened. */
  readonly disputed: boolean;
  /** Created when the dialog opened; the row keeps it. */
  readonly key: string;
  /** Milliseconds since 1970; null until it is sent. */
  readonly sentAt: number | null;
  readonly state: BulkRowState;
};

export type BulkRun = {
  readonly reason: RefundReason;
  readonly comment: string;
  /** The user confirmed refunds of disputed payments. */
  readonly acknowledgesDisputes: boolean;
  readonly rows: readonly BulkRow[];
};

/** Requests of this browser without a known outcome. */
export type Unfinished = { records: MoneyRecord[]; requests: RequestRecord[]; bulk: BulkRun | null };

type Owner = Pick<MoneyRecord, "mode" | "merchantId">;

export type BulkStore = {
  find(): BulkRun | null;
  save(run: BulkRun): void;
  remove(): void;
  subscribe(listener: () => void): () => void;
};

const listeners = new Set<() => void>();

/** This tab's unfinished run: at most one, kept across reloads. Throws if storage is full. */
export function bulkStore(storage: Storage, { mode, merchantId }: Owner): BulkStore {
  const name = `cardlane.bulk.${mode}.${merchantId}`;
  const changed = () => {
    for (const listener of listeners) listener();
  };
  return {
    find: () => readRun(storage.getItem(name)),
    save(run) {
      storage.setItem(name, JSON.stringify(run));
      changed();
    },
    remove() {
      storage.removeItem(name);
      changed();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** After a reload, requests in progress have an unknown outcome, and waiting ones were never sent. */
function readRun(text: string | null): BulkRun | null {
  if (text === null) return null;
  try {
    const run = JSON.parse(text) as BulkRun;
    return Array.isArray(run.rows) ? run : null;
  } catch {
    // Not written by this page.
    return null;
  }
}

export function afterReload(run: BulkRun): BulkRun {
  return { ...run, rows: run.rows.map((row) => ({ ...row, state: stateAfterReload(row) })) };
}

function stateAfterReload({ state, sentAt }: BulkRow): BulkRowState {
  if (state.step === "sending" && sentAt !== null) return { step: "unknown", why: "no_answer", notice: null };
  // A row counts as sending while its payment is still being read.
  if (state.step === "waiting" || state.step === "sending")
    return { step: "not_sent", detail: "You left the page before it was sent." };
  return state;
}

export const canRetryRow = (row: BulkRow, now: number = Date.now()): boolean =>
  row.sentAt !== null && canRetry({ sentAt: row.sentAt }, now);

export const isOver = (run: BulkRun): boolean =>
  run.rows.every(({ state }) => state.step !== "waiting" && state.step !== "sending");

/** True if every outcome is known, so the run may be forgotten. */
export const isKnown = (run: BulkRun): boolean =>
  isOver(run) && run.rows.every(({ state }) => state.step !== "unknown");

/** Currency → sum of the rows in minor units. */
export function totalsOf(rows: readonly Pick<BulkRow, "amount" | "currency">[]): [currency: string, amount: number][] {
  const totals = new Map<string, number>();
  for (const { currency, amount } of rows) totals.set(currency, (totals.get(currency) ?? 0) + amount);
  return [...totals].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
