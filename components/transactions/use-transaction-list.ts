"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useDashboard } from "@/lib/client/dashboard-context";
import { fetchTransactions, type TransactionList } from "@/lib/client/fetch-transactions";
import { firstRows, settleRows, waitingRows } from "@/lib/client/live-rows";
import type { TransactionQuery } from "@/lib/client/transaction-query";
import type { ListedTransaction } from "@/lib/contract/transaction";

const POLL_MS = 3_000;
const NO_ROWS: readonly ListedTransaction[] = [];

/** What the server rendered the page with: the answer to `key`, as of `at`. */
export type InitialList = { key: string; list: TransactionList; at: number };

type ListInput = {
  query: TransactionQuery;
  /** The question's one spelling. */
  key: string;
  initial: InitialList | null;
  /** Somebody points at a row: every row keeps its place. */
  hold: boolean;
};

/** The rows of the question: the server's first, then the API's, kept up to date while the page is seen. */
export function useTransactionList({ query, key, initial, hold }: ListInput) {
  const { mode, merchant } = useDashboard();
  const queries = useQueryClient();
  const queryKey = ["transactions", mode, key];
  const isInitial = initial?.key === key;
  const [live, setLive] = useState(() => {
    const list = isInitial ? initial.list : undefined;
    return { ...firstRows(key, list?.data ?? NO_ROWS), list };
  });
  const ahead = waitingRows(live).added;
  const { data, error, isPlaceholderData, refetch, isFetching } = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const shown = queries.getQueryData<TransactionList>(queryKey);
      return fetchTransactions({ query, mode, timeZone: merchant.timeZone, shown, ahead, signal });
    },
    ...(isInitial && { initialData: initial.list, initialDataUpdatedAt: initial.at }),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
    retry: 1,
    retryDelay: 300,
  });

  const answered = data !== undefined && !isPlaceholderData;
  let current = live;
  if (answered) {
    const settled = settleRows(live, { key, answer: data.data, hold: hold && live.key === key });
    if (settled !== live || live.list !== data) {
      current = { ...settled, list: data };
      setLive(current);
    }
  }

  const showWaiting = useCallback(() => {
    setLive((shown) => ({
      ...settleRows(shown, { key: shown.key, answer: shown.answer, hold: false }),
      list: shown.list,
    }));
  }, []);

  return {
    list: current.list,
    rows: current.rows.length > query.perPage ? current.rows.slice(0, query.perPage) : current.rows,
    fresh: current.fresh,
    waiting: waitingRows(current),
    /** The rows are still those of the question before. */
    isStale: current.key !== key || !answered,
    error,
    isFetching,
    refetch,
    showWaiting,
  };
}
