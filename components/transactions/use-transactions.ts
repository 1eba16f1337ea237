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

/**
 * The list of `key` at the time `at`, rendered by the server. React writes one text faster than a thousand
 * values.
 */
export type InitialList = { key: string; listJson: string; at: number };

type ListInput = {
  query: TransactionQuery;
  /** Canonical form of the query. */
  key: string;
  initial: InitialList | null;
  /** The user points at a row, so rows must keep their positions. */
  hold: boolean;
};

/** Rows of the query: first the server's, then the API's, refreshed while the page is visible. */
export function useTransactionList({ query, key, initial, hold }: ListInput) {
  const { mode, merchant, clock } = useDashboard();
  const queries = useQueryClient();
  const queryKey = ["transactions", mode, key];
  const [first] = useState(() => initial && (JSON.parse(initial.listJson) as TransactionList));
  const list = (initial?.key === key && first) || undefined;
  const [live, setLive] = useState({ ...firstRows(key, list?.data ?? NO_ROWS), list });
  const ahead = waitingRows(live).added;
  const { data, error, isPlaceholderData, refetch, isFetching } = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const shown = queries.getQueryData<TransactionList>(queryKey);
      return fetchTransactions({ query, mode, timeZone: merchant.timeZone, clock, shown, ahead, signal });
    },
    ...(list && { initialData: list, initialDataUpdatedAt: initial?.at }),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
    retry: 1,
    retryDelay: 300,
  });

  const isCurrent = data !== undefined && !isPlaceholderData;
  let current = live;
  if (isCurrent) {
    const settled = settleRows(live, { key, response: data.data, hold: hold && live.key === key });
    if (settled !== live || live.list !== data) {
      current = { ...settled, list: data };
      setLive(current);
    }
  }

  const showWaiting = useCallback(() => {
    setLive((shown) => ({
      ...settleRows(shown, { key: shown.key, response: shown.response, hold: false }),
      list: shown.list,
    }));
  }, []);

  return {
    list: current.list,
    rows: current.rows.length > query.perPage ? current.rows.slice(0, query.perPage) : current.rows,
    fresh: current.fresh,
    waiting: waitingRows(current),
    /** The rows still belong to the previous query. */
    isStale: current.key !== key || !isCurrent,
    error,
    isFetching,
    refetch,
    showWaiting,
  };
}

type Change = {
  /** Replaces the current history entry, as while typing. */
  replace?: boolean;
  /** Saved view of the query; null for none, undefined to keep the current one. */
  view?: string | null;
};

/** Page state, all of it in the address. */
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

  /** Changes the query and returns to the first page. */
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
    // Going back leaves no entry that would reopen it.
    if (opened.current) window.history.back();
    else go(withoutBeside(now), { view: now.get("view") }, true);
    opened.current = false;
  }, [go]);

  return { query, key, problems, panel, view, change, openPanel, closePanel };
}

/** Query in the address right now: React may render an older one during a transition. */
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

/** Selected transactions by id, kept across pages. */
export function useSelection() {
  const [picked, setPicked] = useState<ReadonlyMap<string, ListedTransaction>>(() => new Map());
  const [limited, setLimited] = useState(false);
  const ids = useMemo((): SelectedIds => Object.fromEntries([...picked.keys()].map((id) => [id, true])), [picked]);

  return {
    /** In the table's format. */
    ids,
    size: picked.size,
    /** The selection was cut at its limit. */
    limited,
    /** Selected transactions: current values from `rows`, or else those at selection. */
    of(rows: readonly ListedTransaction[]): ListedTransaction[] {
      const now = new Map(rows.map((row) => [row.id, row]));
      return [...picked.values()].map((row) => now.get(row.id) ?? row);
    },
    /** Selects by id, among `rows` and the current selection. */
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
