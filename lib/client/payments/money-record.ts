/** Money requests of this browser: the open dialog, and requests without a known outcome. */
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
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

export type RecordStore = {
  find(paymentId: string, action: MoneyAction): MoneyRecord | null;
  list(): MoneyRecord[];
  save(record: MoneyRecord): void;
  remove(record: Pick<MoneyRecord, "paymentId" | "action">): void;
  /** Called after every change. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void;
};

const PREFIX = "cardlane.money.";
const listeners = new Set<() => void>();

/**
 * Records of one merchant and mode in storage that all tabs share and that outlives them: a request unknown
 * to one tab isn't sent by another under a new key. Throws if storage is full: no money is sent without its
 * record.
 */
export function recordStore(storage: Storage, owner: { merchantId: string; mode: Mode }): RecordStore {
  const prefix = `${PREFIX}${owner.mode}.${owner.merchantId}.`;
  const nameOf = (paymentId: string, action: MoneyAction) => `${prefix}${action}.${paymentId}`;
  const changed = () => {
    for (const listener of listeners) listener();
  };
  return {
    find: (paymentId, action) => read(storage, nameOf(paymentId, action)),
    list() {
      const names = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "");
      return names
        .filter((name) => name.startsWith(prefix))
        .map((name) => read(storage, name))
        .filter((record) => record !== null)
        .toSorted((a, b) => a.sentAt - b.sentAt);
    },
    save(record) {
      storage.setItem(nameOf(record.paymentId, record.action), JSON.stringify(record));
      changed();
    },
    remove({ paymentId, action }) {
      storage.removeItem(nameOf(paymentId, action));
      changed();
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

function read(storage: Storage, name: string): MoneyRecord | null {
  const text = storage.getItem(name);
  if (text === null) return null;
  try {
    const record = JSON.parse(text) as MoneyRecord;
    return typeof record.key === "string" && typeof record.sentAt === "number" ? record : null;
  } catch {
    // Not written by this page, so there is nothing to retry.
    return null;
  }
}

/** The open money dialog. It lives above the pages, so that a row that leaves its list doesn't close it. */
export type MoneyDialogRequest =
  | { readonly kind: "action"; readonly action: MoneyAction; readonly paymentId: string }
  /** A null `selection` resumes this tab's unfinished run. */
  | { readonly kind: "bulk"; readonly selection: readonly ListedTransaction[] | null; readonly onDone: () => void };

let current: MoneyDialogRequest | null = null;
const dialogListeners = new Set<() => void>();

export function openMoneyDialog(request: MoneyDialogRequest): void {
  current = request;
  for (const listener of dialogListeners) listener();
}

export function closeMoneyDialog(): void {
  current = null;
  for (const listener of dialogListeners) listener();
}

export const currentMoneyDialog = (): MoneyDialogRequest | null => current;

export function subscribeToMoneyDialog(listener: () => void): () => void {
  dialogListeners.add(listener);
  return () => dialogListeners.delete(listener);
}
