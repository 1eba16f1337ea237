"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Bookmark, ChevronDown, Users } from "lucide-react";
import dynamic from "next/dynamic";
import { type MouseEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from "@/components/ui/menu";
import { missingPart } from "@/components/ui/missing-part";
import { cn } from "@/components/ui/styles";
import { toast } from "@/components/ui/toast";
import { ApiError, callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { FIRST_QUERY, formatQuery, parseQuery, type TransactionQuery } from "@/lib/contract/transactions/query";
import type { SavedView } from "@/lib/contract/transactions/saved-views";

const ViewDialog = dynamic(() => import("./view-dialog").then((module) => module.ViewDialog, missingPart));
const DeleteViewDialog = dynamic(() => import("./view-dialog").then((module) => module.DeleteViewDialog, missingPart));

const BUILT_IN: readonly { name: string; query: Partial<TransactionQuery> }[] = [
  { name: "All", query: {} },
  { name: "Needs capture", query: { status: ["AUTHORIZED"] } },
  { name: "Refunded", query: { status: ["REFUNDED", "PARTIALLY_REFUNDED"] } },
  { name: "Declined", query: { status: ["DECLINED"] } },
  { name: "Failed", query: { status: ["FAILED"] } },
];

type ViewTabsProps = {
  mode: string;
  query: TransactionQuery;
  saved: ReturnType<typeof useSavedViews>;
  /** Saved view of the current page. */
  active: SavedView | null;
  /** Columns changed since the view was loaded. */
  columnsChanged: boolean;
  columns: readonly string[];
  onView: (query: TransactionQuery, view: string | null) => void;
};

type OpenDialog = { kind: "save" | "rename" | "delete"; view: SavedView | null };

/** Saved lists: the default, the user's own and the team's. */
export function ViewTabs(props: ViewTabsProps) {
  const { mode, query, saved, active, columnsChanged, columns, onView } = props;
  const canShare = useDashboard().user.role !== "viewer";
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const now = viewQuery(query);
  const edited = active !== null && (active.query !== now || columnsChanged);
  const isBuiltIn = BUILT_IN.some((view) => queryText(view.query) === now);

  const report = async (work: Promise<unknown>, done: string) => {
    try {
      await work;
      toast.success(done);
    } catch (error) {
      toast.error(error instanceof ApiError ? error.detail : "No response arrived. Try again.");
    }
  };
  const link = (text: string, id: string | null) => ({
    href: `/${mode}/transactions${[text, id && `view=${id}`]
      .filter(Boolean)
      .join("&")
      .replace(/^(?=.)/, "?")}`,
    onClick: (event: MouseEvent) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      onView(parseQuery(new URLSearchParams(text)).query, id);
    },
  });

  return (
    <div className="flex items-end gap-2 border-b print:hidden">
      <nav aria-label="Views" className="tab-bar min-w-0 flex-1 border-b-0">
        {BUILT_IN.map((view) => {
          const text = queryText(view.query);
          return (
            <a
              key={view.name}
              className="tab"
              aria-current={!active && text === now ? "page" : undefined}
              {...link(text, null)}
            >
              {view.name}
            </a>
          );
        })}
        {saved.views.map((view) => (
          <a
            key={view.id}
            className="tab"
            aria-current={view.id === active?.id ? "page" : undefined}
            title={view.mine ? undefined : `Shared by ${view.owner}`}
            {...link(view.query, view.id)}
          >
            {view.shared && <Users aria-hidden="true" className="size-3.5 text-soft" />}
            {view.name}
            {view.shared && <span className="sr-only">shared</span>}
            {view.id === active?.id && edited && <span className="font-normal text-soft">edited</span>}
          </a>
        ))}
        {saved.error && (
          <button type="button" className="tab text-red" onClick={() => saved.refetch()}>
            Saved views did not load. Try again
          </button>
        )}
      </nav>
      {active?.mine && (
        <Menu>
          <MenuTrigger asChild>
            <Button size="sm" variant="ghost" className={cn("mb-1", edited && "text-accent")}>
              View
              <ChevronDown aria-hidden="true" />
            </Button>
          </MenuTrigger>
          <MenuContent align="end" label={`View ${active.name}`}>
            <MenuItem
              disabled={!edited}
              onSelect={() => report(saved.update(active.id, { query: now, columns: [...columns] }), "View saved.")}
            >
              Save changes
            </MenuItem>
            <MenuItem onSelect={() => setDialog({ kind: "rename", view: active })}>Rename…</MenuItem>
            <MenuItem
              disabled={!canShare && !active.shared}
              onSelect={() =>
                report(
                  saved.update(active.id, { shared: !active.shared }),
                  active.shared ? "Only you see this view now." : "Your team sees this view now.",
                )
              }
            >
              {active.shared ? "Stop sharing" : "Share with the team"}
            </MenuItem>
            <MenuItem onSelect={() => setDialog({ kind: "save", view: null })}>Save as a new view…</MenuItem>
            <MenuSeparator />
            <MenuItem danger onSelect={() => setDialog({ kind: "delete", view: active })}>
              Delete…
            </MenuItem>
          </MenuContent>
        </Menu>
      )}
      {!active?.mine && (!isBuiltIn || active !== null) && (
        <Button
          size="sm"
          variant="ghost"
          className="mb-1"
          icon={<Bookmark aria-hidden="true" />}
          onClick={() => setDialog({ kind: "save", view: null })}
        >
          Save view
        </Button>
      )}
      {dialog?.kind === "delete" && dialog.view && (
        <DeleteViewDialog
          view={dialog.view}
          onClose={() => setDialog(null)}
          onDelete={async (view) => {
            await saved.remove(view.id);
            onView(FIRST_QUERY, null);
          }}
        />
      )}
      {dialog !== null && dialog.kind !== "delete" && (
        <ViewDialog
          view={dialog.view}
          canShare={canShare}
          onClose={() => setDialog(null)}
          onSave={async ({ name, shared }) => {
            if (dialog.view) return await saved.update(dialog.view.id, { name, shared });
            const created = await saved.create({ name, shared, query: now, columns: [...columns] });
            onView(query, created.id);
          }}
        />
      )}
    </div>
  );
}

/** Query as stored in a view, without the page number. */
function viewQuery(query: TransactionQuery): string {
  return formatQuery({ ...query, page: 1 });
}

function queryText(query: Partial<TransactionQuery>): string {
  return formatQuery({ ...FIRST_QUERY, ...query });
}

const NONE: readonly SavedView[] = [];

type ViewChanges = { name?: string; query?: string; columns?: string[] | null; shared?: boolean };

/** Saved views visible to the user, loaded after the page so that it doesn't wait for them. */
export function useSavedViews() {
  const { mode } = useDashboard();
  const queries = useQueryClient();
  const queryKey = ["saved-views", mode];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (await callApi("GET /api/dashboard/{mode}/saved-views", { params: { mode }, signal })).data.data,
    staleTime: 60_000,
  });
  const reload = () => queries.invalidateQueries({ queryKey });

  return {
    views: data ?? NONE,
    error,
    refetch,
    create: async (view: { name: string; query: string; columns: string[] | null; shared: boolean }) => {
      const { data: created } = await callApi("POST /api/dashboard/{mode}/saved-views", {
        params: { mode },
        body: view,
      });
      await reload();
      return created;
    },
    update: async (id: string, changes: ViewChanges) => {
      await callApi("PATCH /api/dashboard/{mode}/saved-views/{id}", { params: { mode, id }, body: changes });
      await reload();
    },
    remove: async (id: string) => {
      await callApi("DELETE /api/dashboard/{mode}/saved-views/{id}", { params: { mode, id } });
      await reload();
    },
  };
}
