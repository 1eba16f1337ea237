"use client";

import { useCallback, useMemo, useSyncExternalStore } from "react";
import { type BulkRun, bulkStore } from "@/lib/client/bulk-record";
import { useDashboard } from "@/lib/client/dashboard-context";
import { type MoneyRecord, recordStore } from "@/lib/client/money-record";

export type Unfinished = { records: MoneyRecord[]; bulk: BulkRun | null };

const NOTHING = JSON.stringify({ records: [], bulk: null });

/**
 * What this tab has sent and does not know the outcome of. Nothing on the server, and in the first picture that the browser
 * draws; `readNow`, for effects, knows it by then.
 */
export function useUnfinished(): [unfinished: Unfinished, readNow: () => Unfinished] {
  const { mode, merchant } = useDashboard();
  const stores = useMemo(() => {
    if (typeof window === "undefined") return null;
    const owner = { mode, merchantId: merchant.id };
    const records = recordStore(window.localStorage, owner);
    const bulk = bulkStore(window.sessionStorage, owner);
    return {
      read: () => JSON.stringify({ records: records.list(), bulk: bulk.find() }),
      subscribe(listener: () => void) {
        const ends = [records.subscribe(listener), bulk.subscribe(listener)];
        return () => {
          for (const end of ends) end();
        };
      },
    };
  }, [mode, merchant.id]);
  const text = useSyncExternalStore(
    stores?.subscribe ?? (() => () => {}),
    stores?.read ?? (() => NOTHING),
    () => NOTHING,
  );
  const unfinished = useMemo(() => JSON.parse(text) as Unfinished, [text]);
  const readNow = useCallback(() => JSON.parse(stores?.read() ?? NOTHING) as Unfinished, [stores]);
  return [unfinished, readNow];
}
