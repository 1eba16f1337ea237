import type { ListedTransaction } from "@/lib/contract/transaction";
import type { MoneyAction } from "./money-record";

/** The one money dialog that is open. It stands above the pages: a row that leaves its list must not take it along. */
export type MoneyDialogRequest =
  | { readonly kind: "action"; readonly action: MoneyAction; readonly paymentId: string }
  /** `selection` null: the run that this tab has not finished. */
  | { readonly kind: "bulk"; readonly selection: readonly ListedTransaction[] | null; readonly onDone: () => void };

let current: MoneyDialogRequest | null = null;
const listeners = new Set<() => void>();

export function openMoneyDialog(request: MoneyDialogRequest): void {
  current = request;
  for (const listener of listeners) listener();
}

export function closeMoneyDialog(): void {
  current = null;
  for (const listener of listeners) listener();
}

export const currentMoneyDialog = (): MoneyDialogRequest | null => current;

export function subscribeToMoneyDialog(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
