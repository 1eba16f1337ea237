"use client";

import { useRouter } from "next/navigation";
import { useOptimistic, useTransition } from "react";

type Change = {
  /** Replaces the current history entry, as while typing. */
  replace?: boolean;
  /** Saved view of the query; null for none, undefined to keep the current one. */
  view?: string | null;
};

type Cursor = { after: string | null; before: string | null };

/** The query of a list that the server renders, kept in the address. `format` writes it there. */
export function useListQuery<Query extends Cursor>(
  path: string,
  shown: { query: Query; view: string | null },
  format: (query: Query) => string,
) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  // The next change starts from this one, even before its rows are here.
  const [now, setNow] = useOptimistic(shown);

  /** Changes the query and returns to the first page. */
  function change(patch: Partial<Query>, { replace = false, view = now.view }: Change = {}) {
    const query = { ...now.query, after: null, before: null, ...patch };
    const text = [format(query), view && `view=${view}`].filter(Boolean).join("&");
    startTransition(() => {
      setNow({ query, view });
      const href = text === "" ? path : `${path}?${text}`;
      if (replace) router.replace(href, { scroll: false });
      else router.push(href, { scroll: false });
    });
  }
  return { query: now.query, view: now.view, change, isPending };
}
