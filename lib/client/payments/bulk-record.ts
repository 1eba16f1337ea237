import type { RefundReason } from "@/lib/contract/transactions/words";
import type { UnknownWhy } from "./money-attempt";
import { canRetry, type MoneyRecord } from "./money-record";

export type BulkRowState =
  | { step: "waiting" }
  | { step: "sending" }
  | { step: "refunded"; refundId: string }
  | { step: "refused"; detail: string }
  | { step: "unknown"; why: UnknownWhy; notice: string | null }
  /** Never left this browser. */
  | { step: "not_sent"; detail: string };

export type BulkRow = {
  readonly paymentId: string;
  readonly chargeId: string;
  /** Minor units: all that was left when the dialog opened. */
  readonly amount: number;
  readonly currency: string;
  readonly card: string;
  readonly customer: string | null;
  /** Its cardholder's bank disputed it when the dialog opened. */
  readonly disputed: boolean;
  /** Minted when the dialog opened; the row's for good. */
  readonly key: string;
  /** Milliseconds since 1970; null until it is sent. */
  readonly sentAt: number | null;
  readonly state: BulkRowState;
};

export type BulkRun = {
  readonly reason: RefundReason;
  readonly comment: string;
  /** The user refunds disputed payments all the same. */
  readonly acknowledgesDisputes: boolean;
  readonly rows: readonly BulkRow[];
};

/** What a browser has sent and has no outcome of. */
export type Unfinished = { records: MoneyRecord[]; bulk: BulkRun | null };

type Owner = Pick<MoneyRecord, "mode" | "merchantId">;

export type BulkStore = {
  find(): BulkRun | null;
  save(run: BulkRun): void;
  remove(): void;
  subscribe(listener: () => void): () => void;
};

const listeners = new Set<() => void>();

/** The run of this tab that is not over: at most one, kept across reloads. Throws when the browser has no room. */
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

/** After a reload, the outcome of requests under way is unknown, and waiting ones were never sent. */
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
  // A row is in hand for a moment before it is sent: while its payment is read.
  if (state.step === "waiting" || state.step === "sending")
    return { step: "not_sent", detail: "You left the page before it was sent." };
  return state;
}

export const canRetryRow = (row: BulkRow, now: number = Date.now()): boolean =>
  row.sentAt !== null && canRetry({ sentAt: row.sentAt }, now);

export const isOver = (run: BulkRun): boolean =>
  run.rows.every(({ state }) => state.step !== "waiting" && state.step !== "sending");

/** Whether the run may be forgotten: every outcome is known. */
export const isKnown = (run: BulkRun): boolean =>
  isOver(run) && run.rows.every(({ state }) => state.step !== "unknown");

/** Currency → minor units of the rows. */
export function totalsOf(rows: readonly Pick<BulkRow, "amount" | "currency">[]): [currency: string, amount: number][] {
  const totals = new Map<string, number>();
  for (const { currency, amount } of rows) totals.set(currency, (totals.get(currency) ?? 0) + amount);
  return [...totals].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
