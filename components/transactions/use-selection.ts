"use client";

import { useMemo, useState } from "react";
import type { Transaction } from "@/lib/contract/transaction";

export const MAX_SELECTED = 100;

/** Selected transactions by id, kept while one looks at other pages. */
export function useSelection(rows: readonly Transaction[]) {
  const [picked, setPicked] = useState<ReadonlyMap<string, Transaction>>(() => new Map());
  const [limited, setLimited] = useState(false);
  const selection = useMemo(() => {
    // As the list shows them now, where it does.
    const now = new Map(rows.map((row) => [row.id, row]));
    return [...picked.values()].map((row) => now.get(row.id) ?? row);
  }, [picked, rows]);
  const state = useMemo(() => Object.fromEntries([...picked.keys()].map((id) => [id, true as const])), [picked]);

  const setState = (update: Record<string, true> | ((old: Record<string, true>) => Record<string, true>)) => {
    const next = typeof update === "function" ? update(state) : update;
    const known = new Map([...selection, ...rows].map((row) => [row.id, row]));
    const ids = Object.keys(next).filter((id) => next[id] && known.has(id));
    setLimited(ids.length > MAX_SELECTED);
    setPicked(new Map(ids.slice(0, MAX_SELECTED).map((id) => [id, known.get(id) as Transaction])));
  };
  const clear = () => {
    setPicked(new Map());
    setLimited(false);
  };
  return { selection, state, setState, clear, limited };
}
