import { useSyncExternalStore } from "react";
import type { Mode } from "@/lib/contract/transactions/words";

const keyOf = (mode: Mode) => `cardlane-list-${mode}`;
const never = () => () => {};

/** The list's last query in this tab: the way back keeps its filters. */
export function rememberList(mode: Mode, query: string): void {
  try {
    sessionStorage.setItem(keyOf(mode), query);
  } catch {
    // A browser that keeps nothing leads back to the whole list.
  }
}

function lastQuery(mode: Mode): string {
  try {
    return sessionStorage.getItem(keyOf(mode)) ?? "";
  } catch {
    return "";
  }
}

/** The list of transactions as it was last looked at. */
export function useListHref(mode: Mode): string {
  const query = useSyncExternalStore(
    never,
    () => lastQuery(mode),
    () => "",
  );
  return `/${mode}/transactions${query && `?${query}`}`;
}
