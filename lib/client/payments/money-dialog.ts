import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import type { RequestRecord } from "./keyed-request";
import type { MoneyAction } from "./money-record";

/** The open money dialog. It is kept above the pages, so that a row that leaves its list doesn't close it. */
export type MoneyDialogRequest =
  | { readonly kind: "action"; readonly action: MoneyAction; readonly paymentId: string }
  | { readonly kind: "request"; readonly record: RequestRecord }
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
