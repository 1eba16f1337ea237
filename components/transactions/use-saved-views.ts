"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import type { SavedView } from "@/lib/contract/dashboard/saved-views";

const NONE: readonly SavedView[] = [];

export type ViewChanges = { name?: string; query?: string; columns?: string[] | null; shared?: boolean };

/** The views that a person has and is shown. They load after the page, which does not wait for them. */
export function useSavedViews() {
  const { mode } = useDashboard();
  const queries = useQueryClient();
  const path = `/api/dashboard/${mode}/saved-views`;
  const queryKey = ["saved-views", mode];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await callApi<{ data: SavedView[] }>({ method: "GET", path, signal })).data.data,
    staleTime: 60_000,
  });
  const reload = () => queries.invalidateQueries({ queryKey });

  return {
    views: data ?? NONE,
    error,
    refetch,
    create: async (view: { name: string; query: string; columns: string[] | null; shared: boolean }) => {
      const { data: created } = await callApi<SavedView>({ method: "POST", path, body: view });
      await reload();
      return created;
    },
    update: async (id: string, changes: ViewChanges) => {
      await callApi<SavedView>({ method: "PATCH", path: `${path}/${id}`, body: changes });
      await reload();
    },
    remove: async (id: string) => {
      await callApi({ method: "DELETE", path: `${path}/${id}` });
      await reload();
    },
  };
}
