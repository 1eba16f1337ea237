import { useSyncExternalStore } from "react";
import type { Mode } from "@/lib/contract/transactions/words";

const keyOf = (mode: Mode) => `cardlane-list-${mode}`;
const never = () => () => {};

/** Stores the list's last query for this tab, so that links back keep its filters. */
export function rememberList(mode: Mode, query: string): void {
  try {
    sessionStorage.setItem(keyOf(mode), query);
  } catch {
    // Without storage, links lead back to the unfiltered list.
  }
}

function lastQuery(mode: Mode): string {
  try {
    return sessionStorage.getItem(keyOf(mode)) ?? "";
  } catch {
    return "";
  }
}

/** Address of the transaction list as last viewed. */
export function useListHref(mode: Mode): string {
  const query = useSyncExternalStore(
    never,
    () => lastQuery(mode),
    () => "",
  );
  return `/${mode}/transactions${query && `?${query}`}`;
}
