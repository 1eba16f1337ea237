"use client";

import { type RefObject, useEffect, useEffectEvent } from "react";
import { reasonAgainst, subjectOfTransaction } from "@/lib/client/action-reasons";
import { useDashboard } from "@/lib/client/dashboard-context";
import { openMoneyDialog } from "@/lib/client/money-dialogs";
import type { ListedTransaction } from "@/lib/contract/transaction";

type TableKeys = {
  table: RefObject<HTMLTableElement | null>;
  rows: readonly ListedTransaction[];
  openPayment: string | null;
  onOpen: (paymentId: string) => void;
  onClose: () => void;
  onToggle: (row: ListedTransaction) => void;
  onMessage: (message: string) => void;
};

const EDITABLE = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]";
const OVERLAYS = "dialog[open], [popover]:popover-open:not([role=tooltip])";

/**
 * j and k walk the rows, x selects, r refunds, Enter opens (the row's link does that itself), Escape closes the panel. The
 * row one is at is the one with the focus. Off when the person switched single keys off.
 */
export function useTableKeys(keys: TableKeys): void {
  const { preferences, can } = useDashboard();
  const enabled = preferences.shortcuts !== false;

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    if (document.querySelector(OVERLAYS)) return;
    if (event.key === "Escape") {
      if (keys.openPayment !== null) keys.onClose();
      return;
    }
    const target = event.target instanceof Element ? event.target : document.body;
    if (!enabled || target.closest(EDITABLE)) return;
    const at = currentIndex(keys);
    const row = keys.rows[at];
    if (event.key === "j" || event.key === "k") walk(keys, at, event.key === "j" ? 1 : -1);
    else if (event.key === "x" && row) keys.onToggle(row);
    else if (event.key === "r" && row) {
      const reason = reasonAgainst("refund", subjectOfTransaction(row), can);
      if (reason === null) openMoneyDialog({ kind: "action", action: "refund", paymentId: row.payment_id });
      else keys.onMessage(reason);
    } else return;
    event.preventDefault();
  });

  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

/** The row with the focus, else the one that is open beside the list, else none. */
function currentIndex({ table, rows, openPayment }: TableKeys): number {
  const active = document.activeElement;
  const id = table.current?.contains(active) ? active?.closest("tr")?.dataset.id : undefined;
  if (id !== undefined) return rows.findIndex((row) => row.id === id);
  return rows.findIndex((row) => row.payment_id === openPayment);
}

function walk({ table, rows, openPayment, onOpen }: TableKeys, at: number, step: 1 | -1): void {
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + step, 0), rows.length - 1);
  const row = rows[next];
  if (!row) return;
  const link = table.current?.querySelector<HTMLElement>(`tr[data-id="${row.id}"] a[data-row]`);
  link?.focus({ preventScroll: true });
  link?.closest("tr")?.scrollIntoView({ block: "nearest" });
  if (openPayment !== null && row.payment_id !== openPayment) onOpen(row.payment_id);
}
