"use client";

import { useState } from "react";
import { useDashboard } from "@/lib/client/dashboard-context";
import { type ColumnName, columnsCookie, DEFAULT_COLUMNS, knownColumns } from "@/lib/client/transaction-columns";
import type { SavedView } from "@/lib/contract/dashboard/saved-views";

const YEAR_SECONDS = 365 * 86_400;

/**
 * The visible columns: those of the saved view, else the person's own. The latter live in a cookie, so that the server
 * renders with them and nothing jumps.
 */
export function useColumns(own: readonly ColumnName[] | null, view: SavedView | null) {
  const { person } = useDashboard();
  const [mine, setMine] = useState(own);
  const [changed, setChanged] = useState<{ view: string; columns: readonly ColumnName[] } | null>(null);
  const viewColumns = view && knownColumns(view.columns);
  const inView = view !== null && changed?.view === view.id ? changed.columns : viewColumns;

  const remember = (columns: readonly ColumnName[] | null) => {
    setMine(columns);
    const lifetime = columns === null ? 0 : YEAR_SECONDS;
    const isSecure = location.protocol === "https:";
    const attributes = `path=/; max-age=${lifetime}; samesite=lax${isSecure ? "; secure" : ""}`;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
    document.cookie = `${columnsCookie(person.userId, isSecure)}=${(columns ?? []).join(".")}; ${attributes}`;
  };

  return {
    columns: inView ?? mine ?? DEFAULT_COLUMNS,
    /** The view has other columns than are shown. */
    changedInView: view !== null && inView?.join() !== viewColumns?.join(),
    setColumns: (columns: readonly ColumnName[]) =>
      view === null ? remember(columns) : setChanged({ view: view.id, columns }),
    resetColumns: () => (view === null ? remember(null) : setChanged({ view: view.id, columns: DEFAULT_COLUMNS })),
  };
}
