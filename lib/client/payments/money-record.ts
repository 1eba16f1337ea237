/** Money requests of this browser: the open dialog, and requests without a known outcome. */
import type { Mode } from "@/lib/contract/transactions/words";

export type MoneyAction = "refund" | "capture" | "void";

/** Request body; amounts in minor units. */
export type MoneyBody = { amount?: number; reason?: string; comment?: string; acknowledge_dispute?: true };

/** A request with an unknown outcome: all that a retry under the same key needs. */
export type MoneyRecord = {
  readonly mode: Mode;
  readonly merchantId: string;
  readonly action: MoneyAction;
  readonly paymentId: string;
  /** The charge: refunds are requested there, so that the response names the refund. */
  readonly chargeId: string;
  readonly key: string;
  readonly body: MoneyBody;
  /** Minor units; from the body, or the full amount. */
  readonly amount: number;
  /** Refundable minor units when it was sent. */
  readonly refundable: number;
  readonly currency: string;
  /** `Visa •••• 4242`. */
  readonly card: string;
  /** The created refund, once a response named it. */
  readonly transactionId: string | null;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
};

/** Keys are kept for 24 hours: until then the same key is certain to find the original request. */
const RETRY_FOR_MS = 23 * 60 * 60 * 1000;

export const canRetry = (record: Pick<MoneyRecord, "sentAt">, now: number): boolean =>
  now - record.sentAt < RETRY_FOR_MS;

/** Requests without a known outcome, by name, in storage that all tabs share and that outlives them. */
type RequestRecords<R> = {
  find(name: string): R | null;
  /** Oldest first. */
  list(): R[];
  save(name: string, record: R): void;
  remove(name: string): void;
  /** Called after every change. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void;
};

const listeners = new Set<() => void>();

export function notifyRecordListeners(): void {
  for (const listener of listeners) listener();
}

/** Throws if storage is full: no request is sent without its record. */
export function requestRecords<R extends { readonly key: string; readonly sentAt: number }>(
  storage: Storage,
  prefix: string,
): RequestRecords<R> {
  const read = (name: string): R | null => {
    const text = storage.getItem(name);
    if (text === null) return null;
    try {
      const record = JSON.parse(text) as R;
      return typeof record.key === "string" && typeof record.sentAt === "number" ? record : null;
    } catch {
      // Not written by this page, so there is nothing to retry.
      return null;
    }
  };
  return {
    find: (name) => read(prefix + name),
    list() {
      const names = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "");
      return names
        .filter((name) => name.startsWith(prefix))
        .map(read)
        .filter((record) => record !== null)
        .toSorted((a, b) => a.sentAt - b.sentAt);
    },
    save(name, record) {
      storage.setItem(prefix + name, JSON.stringify(record));
      notifyRecordListeners();
    },
    remove(name) {
      storage.removeItem(prefix + name);
      notifyRecordListeners();
    },
    subscribe(listener) {
      listeners.add(listener);
      globalThis.addEventListener?.("storage", listener);
      return () => {
        listeners.delete(listener);
        globalThis.removeEventListener?.("storage", listener);
      };
    },
  };
}

export type RecordStore = {
  find(paymentId: string, action: MoneyAction): MoneyRecord | null;
  list(): MoneyRecord[];
  save(record: MoneyRecord): void;
  remove(record: Pick<MoneyRecord, "paymentId" | "action">): void;
  subscribe(listener: () => void): () => void;
};

/**
 * Money records of one merchant and mode: a request unknown to one tab isn't sent by another under a new key.
 */
export function recordStore(storage: Storage, owner: { merchantId: string; mode: Mode }): RecordStore {
  const records = requestRecords<MoneyRecord>(storage, `cardlane.money.${owner.mode}.${owner.merchantId}.`);
  const nameOf = (paymentId: string, action: MoneyAction) => `${action}.${paymentId}`;
  return {
    find: (paymentId, action) => records.find(nameOf(paymentId, action)),
    list: records.list,
    save: (record) => records.save(nameOf(record.paymentId, record.action), record),
    remove: ({ paymentId, action }) => records.remove(nameOf(paymentId, action)),
    subscribe: records.subscribe,
  };
}
