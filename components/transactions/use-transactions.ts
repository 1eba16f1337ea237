"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { usePathname, useSearchParams } from "next/navigation";
import { useCallback, useMemo, useRef, useState } from "react";
import { useDashboard } from "@/lib/client/dashboard-context";
import {
  fetchTransactions,
  firstRows,
  settleRows,
  type TransactionList,
  waitingRows,
} from "@/lib/client/transactions/live-rows";
import { formatQuery, parseQuery, type TransactionQuery } from "@/lib/contract/transactions/query";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";

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

type Change = {
  /** In place of the current entry of the history, as while somebody types. */
  replace?: boolean;
  /** The saved view it comes from; null for none, absent for the one there is. */
  view?: string | null;
};

/** The page's state, all of which is in its address. */
export function useTransactionsUrl() {
  const pathname = usePathname();
  const params = useSearchParams();
  const panel = params.get("panel");
  const view = params.get("view");
  const requested = withoutBeside(params);
  const { query, problems } = useMemo(() => parseQuery(new URLSearchParams(requested)), [requested]);
  const key = useMemo(() => formatQuery(query), [query]);
  const opened = useRef(false);

  const go = useCallback(
    (query: string, beside: Record<string, string | null>, replace: boolean) => {
      const extra = Object.entries(beside).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
      const text = [query, ...extra].filter(Boolean).join("&");
      const href = text === "" ? pathname : `${pathname}?${text}`;
      if (replace) window.history.replaceState(null, "", href);
      else window.history.pushState(null, "", href);
    },
    [pathname],
  );

  /** Changes the question; a new question begins at its first page. */
  const change = useCallback(
    (patch: Partial<TransactionQuery>, { replace = false, view }: Change = {}) => {
      const now = new URLSearchParams(window.location.search);
      const next = { ...currentQuery(), page: 1, ...patch };
      go(formatQuery(next), { view: view === undefined ? now.get("view") : view }, replace);
    },
    [go],
  );

  const openPanel = useCallback(
    (paymentId: string) => {
      const now = new URLSearchParams(window.location.search);
      const isOpen = now.has("panel");
      if (!isOpen) opened.current = true;
      go(withoutBeside(now), { view: now.get("view"), panel: paymentId }, isOpen);
    },
    [go],
  );

  const closePanel = useCallback(() => {
    const now = new URLSearchParams(window.location.search);
    if (!now.has("panel")) return;
    // Going back leaves no entry behind that would open it again.
    if (opened.current) window.history.back();
    else go(withoutBeside(now), { view: now.get("view") }, true);
    opened.current = false;
  }, [go]);

  return { query, key, problems, panel, view, change, openPanel, closePanel };
}

/** What the address asks at this moment: React may show an older one while it works on a change. */
export function currentQuery(): TransactionQuery {
  return parseQuery(new URLSearchParams(withoutBeside(new URLSearchParams(window.location.search)))).query;
}

function withoutBeside(params: URLSearchParams): string {
  const rest = new URLSearchParams(params);
  rest.delete("panel");
  rest.delete("view");
  return rest.toString();
}

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
