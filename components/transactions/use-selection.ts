"use client";

import { useMemo, useState } from "react";
import type { ListedTransaction } from "@/lib/contract/transaction";

export const MAX_SELECTED = 100;

type SelectedIds = Record<string, true>;

/** Selected transactions by id, kept while one looks at other pages. */
export function useSelection() {
  const [picked, setPicked] = useState<ReadonlyMap<string, ListedTransaction>>(() => new Map());
  const [limited, setLimited] = useState(false);
  const ids = useMemo((): SelectedIds => Object.fromEntries([...picked.keys()].map((id) => [id, true])), [picked]);

  return {
    /** As the table wants it. */
    ids,
    size: picked.size,
    /** More was asked for than may be selected. */
    limited,
    /** The selected transactions: as `rows` have them now, else as they were when they were selected. */
    of(rows: readonly ListedTransaction[]): ListedTransaction[] {
      const now = new Map(rows.map((row) => [row.id, row]));
      return [...picked.values()].map((row) => now.get(row.id) ?? row);
    },
    /** Selects by id, among `rows` and what is selected already. */
    set(update: SelectedIds | ((old: SelectedIds) => SelectedIds), rows: readonly ListedTransaction[]) {
      const next = typeof update === "function" ? update(ids) : update;
      const known = new Map([...picked, ...rows.map((row) => [row.id, row] as const)]);
      const wanted = [...known].filter(([id]) => next[id]);
      setLimited(wanted.length > MAX_SELECTED);
      setPicked(new Map(wanted.slice(0, MAX_SELECTED)));
    },
    clear() {
      setPicked(new Map());
      setLimited(false);
    },
  };
}
export type Selection = ReturnType<typeof useSelection>;
