"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useCallback, useMemo, useRef } from "react";
import { formatQuery, parseQuery, type TransactionQuery } from "@/lib/client/transaction-query";

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
  const asked = withoutBeside(params);
  const { query, problems } = useMemo(() => parseQuery(new URLSearchParams(asked)), [asked]);
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
